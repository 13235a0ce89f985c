"""The lock that allows one import at a time in an installation, and its refusals
(OPEN-47)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.db import Error, connection
from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext as _, gettext_noop

from importer import conf
from importer.locks import LockHolder, ProcessLock, database_lock, end_holders
from importer.models import ImportRun
from importer.runs import reading

# The key of the advisory lock.
_KEY = 0x494D5052
# Separates kind and user in the holder's name.
_BY = ", started by "
DRY_RUN = gettext_noop("a dry run")
IMPORT = gettext_noop("an import")
_RUNS = (DRY_RUN, IMPORT)


class ImportInProgress(Exception):
    """Another import holds the lock; the attributes identify it, as far as it is known."""

    run_id: UUID | None = None
    package: str | None = None
    started_by: str | None = None
    started_at: datetime | None = None

    def __init__(self, holder: LockHolder | None) -> None:
        described = ""
        if holder is not None:
            what, _by, self.started_by = holder.name.partition(_BY)
            self.started_at = holder.since
            run = _run_in_progress() if what in _RUNS else None
            if run is not None:
                self.run_id, self.package = run.run_id, run.package or None
                self.started_at = run.started_at
            described = f": {self._described(what)}"
        super().__init__(
            _(
                "An import is in progress%(holder)s. Only one runs at a time; "
                "start this one again when it has ended."
            )
            % {"holder": described}
        )

    def _described(self, what: str) -> str:
        words = {
            "what": _(what) if what else "",
            "package": self.package,
            "run": self.run_id,
            "who": self.started_by,
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


def _run_in_progress() -> ImportRun | None:
    """Return the run without an end, None if there is none or the database fails.

    If a run holds the lock, it is that run, because it has closed those of dead
    processes. The times don't matter: the database may have another clock.
    """
    with suppress(Error):
        return reading.running_run()
    return None


class LockUnusable(Exception):
    """The lock file can't be opened, so that other runs can't be detected."""

    def __init__(self, path: Path | None, error: OSError) -> None:
        reason = error.strerror or error
        sentence = _("The lock file %(path)s can't be used: %(reason)s.")
        super().__init__(sentence % {"path": path, "reason": reason})


class LockLost(Exception):
    """The lock was lost during an import, so another one may have begun."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "The database connection that holds the import lock was lost, "
                "so the import stopped. Start it again; it continues where it "
                "stopped."
            )
        )


@contextmanager
def import_lock(who: str, what: str) -> Iterator[ProcessLock]:
    """Hold the lock of this installation; raise ImportInProgress if it is taken."""
    path = conf.lock_file(connection.settings_dict["NAME"])
    with database_lock(_KEY, path) as lock:
        try:
            is_ours = lock.take(f"{what}{_BY}{who}")
        except OSError as error:
            raise LockUnusable(path, error) from None
        if not is_ours:
            raise ImportInProgress(lock.holder())
        yield lock


def break_lock() -> None:
    """Take the lock from a process that no longer responds; its run ends with LockLost
    if it ever continues."""
    if connection.vendor == "postgresql":
        end_holders(_KEY)


def keep(lock: ProcessLock) -> None:
    """Check that the lock is still held; raise LockLost if it isn't."""
    try:
        lock.take()
    except Error as error:
        raise LockLost from error
