"""Let one import run at a time in an installation, across processes (OPEN-47).

SQLite: a file lock; PostgreSQL: an advisory lock on a connection of its own. Both end
with the process that holds them, however it ends; a row in a table would not.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from django.db import DEFAULT_DB_ALIAS, DatabaseError, Error, connections
from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext as _
from filelock import FileLock, Timeout

from importer import conf
from importer.models import ImportRun
from importer.runs import reading

# Two halves of the advisory lock's key; any fixed pair nobody else uses.
_CLASS, _OBJECT = 0x494D5052, 1
_LONGEST_NAME = 63
_in_memory = threading.Lock()
# Between what holds the lock and who started it, in the name of a connection.
_BY = ", started by "


class Holder(msgspec.Struct, frozen=True):
    """What holds the lock, who started it and when, as the lock itself remembers it."""

    what: str
    who: str
    since: datetime


class ImportInProgress(Exception):
    """Another import holds the lock; the attributes say which, as far as it is known.

    A dry run of another process has no record, so nobody knows its run and package.
    """

    run_id: UUID | None = None
    package: str | None = None
    started_by: str | None = None
    started_at: datetime | None = None

    def __init__(self, holder: Holder | None) -> None:
        if holder is not None:
            self.started_by, self.started_at = holder.who, holder.since
            run = _run_of(holder)
            if run is not None:
                self.run_id, self.package = run.run_id, run.package or None
                self.started_at = run.started_at
        told = "" if holder is None else f": {self._told(holder)}"
        super().__init__(
            _(
                "An import is in progress%(holder)s. Only one runs at a time; "
                "start this one again when it has ended."
            )
            % {"holder": told}
        )

    def _told(self, holder: Holder) -> str:
        words = {
            "what": _(holder.what) if holder.what else "",
            "package": self.package,
            "run": self.run_id,
            "who": holder.who,
            "since": localize(timezone.localtime(self.started_at)),
        }
        if self.package:
            sentence = _(
                "%(what)s of %(package)s (run %(run)s), started by %(who)s at %(since)s"
            )
        elif self.run_id:
            sentence = _("%(what)s (run %(run)s), started by %(who)s at %(since)s")
        else:
            sentence = _("%(what)s, started by %(who)s at %(since)s")
        return sentence % words


def _run_of(holder: Holder) -> ImportRun | None:
    """Return the run that holds the lock, None where something else does.

    A run without an end that began before the lock was taken is one whose process died.
    """
    with suppress(Error):
        run = reading.running_run()
        if run is not None and run.started_at >= holder.since:
            return run
    return None


class LockUnusable(Exception):
    """Say that the lock file cannot be opened, so nobody knows whether a run goes on."""

    def __init__(self, path: Path, error: OSError) -> None:
        reason = error.strerror or error
        sentence = _("The lock file %(path)s cannot be used: %(reason)s.")
        super().__init__(sentence % {"path": path, "reason": reason})


@contextmanager
def import_lock(who: str, what: str) -> Iterator[None]:
    """Hold the lock of this installation; ImportInProgress if somebody else does."""
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor == "postgresql":
        with _advisory(who, what):
            yield
        return
    path = conf.lock_file(connection.settings_dict["NAME"])
    with _file(path, who, what) if path else _process():
        yield


@contextmanager
def _process() -> Iterator[None]:
    if not _in_memory.acquire(blocking=False):
        raise ImportInProgress(None)
    try:
        yield
    finally:
        _in_memory.release()


@contextmanager
def _file(path: Path, who: str, what: str) -> Iterator[None]:
    # A new object per run: one object would let the same thread in twice.
    lock = FileLock(path, blocking=False, mode=0o600)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise ImportInProgress(_holder(path)) from None
    except OSError as error:
        raise LockUnusable(path, error) from None
    try:
        since = timezone.now().isoformat(timespec="seconds")
        _note(path, {"who": who, "what": what, "since": since})
        yield
    finally:
        _note(path, {})
        lock.release()


def _note(path: Path, holder: dict[str, str]) -> None:
    with suppress(OSError):  # the note only serves the sentence of a refusal
        path.write_text(json.dumps(holder), encoding="utf-8")


def _holder(path: Path) -> Holder | None:
    try:
        noted: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        since = datetime.fromisoformat(noted["since"])
        return Holder(noted["what"], noted["who"], since)
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def _advisory(who: str, what: str) -> Iterator[None]:
    connection = connections.create_connection(DEFAULT_DB_ALIAS)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [_CLASS, _OBJECT])
            (got,) = cursor.fetchone()
            if not got:
                raise ImportInProgress(_advisory_holder(cursor))
            name = f"{what}{_BY}{who}".encode()[:_LONGEST_NAME]
            cursor.execute(
                "SELECT set_config('application_name', %s, false)",
                [name.decode(errors="ignore")],
            )
        try:
            yield
        finally:
            # The server would notice a closed connection only a little later.
            with suppress(Error), connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_CLASS, _OBJECT])
    finally:
        connection.close()


def _advisory_holder(cursor: Any) -> Holder | None:
    """Read who holds the lock from the name its connection gave itself."""
    try:
        cursor.execute(
            "SELECT a.application_name, a.backend_start FROM pg_locks l"
            " JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory'"
            " AND l.granted AND l.classid = %s AND l.objid = %s"
            " AND l.database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())",
            [_CLASS, _OBJECT],
        )
        row = cursor.fetchone()
    except DatabaseError:
        return None
    if not row:
        return None
    what, _by, who = row[0].partition(_BY)
    return Holder(what, who, row[1])
