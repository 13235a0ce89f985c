"""The data processor of a table source with a folder: it imports the files in the folder,
and a job executes it every minute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final, cast

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from catalogs.processors.inbox import DONE, FAILED, Inbox, WaitingFile
from catalogs.processors.results import result_of
from catalogs.processors.table_processors import (
    TableInput,
    TableProcessor,
    digest_of,
    options_of,
    refusing,
)
from importer import csv_pieces
from importer.models import TableSource
from importer.services import (
    ImportInProgress,
    ImportOptions,
    Report,
    TableError,
    database_lock,
    failed_rows_of,
)
from platform_site.processing.errors import InvalidStateError
from platform_site.processing.values import (
    IntegerField,
    RunField,
    TextField,
    Values,
)
from platform_site.scheduling.models import Job
from platform_site.scheduling.services import create_job

_LOCK_KEY: Final = 0x464F4C44
_LOCK_FILE: Final = ("db", ".folders.lock")
_EVERY: Final = 60
_REPORT: Final = ".report.csv"
_COUNTS: Final = ("inserted", "updated", "unchanged", "skipped", "failed")


class ImportedFile(Values):
    """A file of the folder, and what its import did."""

    file = TextField(label=gettext_lazy("File"))
    run_id = RunField(label=gettext_lazy("Report"), allow_null=True)
    inserted = IntegerField(label=gettext_lazy("Inserted"))
    updated = IntegerField(label=gettext_lazy("Updated"))
    unchanged = IntegerField(label=gettext_lazy("Unchanged"))
    skipped = IntegerField(label=gettext_lazy("Skipped"))
    failed = IntegerField(label=gettext_lazy("Failed"))
    message = TextField(label=gettext_lazy("Message"))


class FolderTables(TableProcessor):
    """The processor of a source whose tables lie in a folder."""

    about: ClassVar[Any] = gettext_lazy(
        "Imports the CSV and XLSX files in a folder into {target}, as the table source "
        "describes them. Files that are still being written are left for the next time."
    )
    Input = TableInput

    class Result(Values):
        """The files, and how many are left for the next time."""

        changes: ClassVar = ("files",)

        files = ImportedFile(label=gettext_lazy("Files"), many=True)
        later = IntegerField(label=gettext_lazy("Left for later"))

    def execute(self, data: Mapping[str, Any], *, user: Any) -> Mapping[str, Any]:
        """Import the complete files, oldest first, and move each to its place.

        Raise InvalidStateError if a file couldn't be imported at all; the others are.
        """
        with refusing(), _alone() as is_alone:
            source = self.source
            inbox = _inbox(source)
            seen = source.fetched.get("seen", {})
            waiting, others = inbox.waiting(seen, timezone.now())
            if not is_alone:
                return {"files": [], "later": len(waiting) + len(others)}
            if others != seen:
                _remember(source, seen=others)
            work = _FolderImport(self, source, inbox, data, user)
            work.do(waiting)
        if work.refusals:
            raise InvalidStateError(*work.refusals)
        return {"files": work.files, "later": len(others) + work.left}


class _FolderImport:
    """The import of the files of one execution."""

    def __init__(
        self,
        processor: TableProcessor,
        source: TableSource,
        inbox: Inbox,
        data: Mapping[str, Any],
        user: Any,
    ) -> None:
        self._processor = processor
        self._source = source
        self._inbox = inbox
        self._data = data
        self._user = user
        self.files: list[dict[str, Any]] = []
        self.refusals: list[str] = []
        self.left = 0

    def do(self, waiting: Sequence[WaitingFile]) -> None:
        """Import files until another import is in the way."""
        for number, file in enumerate(waiting):
            try:
                self._imported(file)
            except ImportInProgress:
                self.left = len(waiting) - number
                return

    def _imported(self, file: WaitingFile) -> None:
        """Import a file, and note what happened or why it couldn't be imported."""
        try:
            self._import_or_refuse(file)
        except FileNotFoundError:  # it has vanished
            return
        except OSError as error:
            words = {"file": file.name, "reason": error.strerror or error}
            # It stays where it is: the next execution tries again.
            self.refusals.append(_("%(file)s: %(reason)s") % words)

    def _import_or_refuse(self, file: WaitingFile) -> None:
        try:
            self.files.append(self._import(file))
        except TableError as refusal:
            self._refuse(file, str(refusal))

    def _import(self, file: WaitingFile) -> dict[str, Any]:
        most = cast("int", settings.IMPORTER["MAX_PACKAGE_SIZE_BYTES"])
        if file.size > most:
            sentence = _(
                "the file has more than %(most)s bytes, the most that is imported"
            )
            raise TableError(sentence % {"most": most})
        with file.opened() as table:
            digest = digest_of(table)
            if digest == self._source.fetched.get("sha256"):
                return self._skip(file)
            source = self._source
            report = self._processor.load(source, table, self._data, self._user)
            if not self._data["dry_run"] and report.status == "Completed":
                is_moved = self._put_away(file, table, report)
                if is_moved and not report.has_errors:
                    _remember(source, sha256=digest)
        found = result_of(report)
        return {
            "file": file.name,
            "run_id": found["run_id"],
            "message": found["message"],
            **{name: found[name] for name in _COUNTS},
        }

    def _skip(self, file: WaitingFile) -> dict[str, Any]:
        """Put away a file that is equal to the one imported last."""
        if not self._data["dry_run"]:
            self._inbox.put_away(file, DONE, timezone.now())
        message = _("The same as the file imported last; there is nothing to do.")
        none = dict.fromkeys(_COUNTS, 0)
        return {"file": file.name, "run_id": None, "message": message, **none}

    def _put_away(self, file: WaitingFile, table: BinaryIO, report: Report) -> bool:
        """Move a file, and write beside it what its import did; return False if it isn't
        the file that was imported any more."""
        where = FAILED if report.has_errors else DONE
        reports = self._reports(table, report)
        return bool(self._inbox.put_away(file, where, timezone.now(), reports))

    def _reports(
        self, table: BinaryIO, report: Report
    ) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield the report of an import, and the rows that failed."""
        rows = (
            (e.line, e.id, e.name, e.outcome.value, e.message) for e in report.items
        )
        names = ("line", "object", "name", "outcome", "message")
        yield _REPORT, csv_pieces(names, rows)
        if report.has_errors:
            table.seek(0)
            options: ImportOptions = options_of(self._data)
            found = failed_rows_of(self._source, table, report, options, self._user)
            yield ".failed.csv", found

    def _refuse(self, file: WaitingFile, reason: str) -> None:
        """Put away a file that is no table, with the reason beside it."""
        self.refusals.append(
            _("%(file)s: %(reason)s") % {"file": file.name, "reason": reason}
        )
        if not self._data["dry_run"]:
            said = csv_pieces(("message",), [(reason,)])
            self._inbox.put_away(file, FAILED, timezone.now(), [(_REPORT, said)])


def watch(source: TableSource) -> None:
    """Plan the job that looks into the folder of a source, unless there is one."""
    origin = source.origin or {}
    if "folder" not in origin or Job.objects.filter(processor=source.name).exists():
        return
    users = get_user_model()._default_manager
    name = source.name
    while Job.objects.filter(name=name).exists():
        name += "_"
    create_job(
        job=Job(
            name=name,
            processor=source.name,
            run_as=users.get_by_natural_key(origin["user"]),
            interval_seconds=_EVERY,
        )
    )


@contextmanager
def _alone() -> Iterator[bool]:
    """Hold the lock of all folders: a file is imported by one process at a time. Yield
    False if another execution has it: files wait, as they do for any other import."""
    path = settings.PLATFORM_DATA_FOLDER.joinpath(*_LOCK_FILE)
    with database_lock(_LOCK_KEY, path) as lock:
        yield lock.take()


def _inbox(source: TableSource) -> Inbox:
    """Return the folder of a source; raise InvalidStateError if it can't be used."""
    origin = source.origin or {}
    folder = Path(settings.PLATFORM_INBOX_FOLDER, origin.get("folder", ""))
    inbox = Inbox(folder, origin.get("pattern", "*"))
    try:
        inbox.prepare()
    except OSError as error:
        sentence = _("Files can't be moved inside the folder %(folder)s: %(reason)s")
        words = {"folder": folder, "reason": error.strerror or error}
        raise InvalidStateError(sentence % words) from None
    return inbox


def _remember(source: TableSource, **values: Any) -> None:
    """Store what is known of the folder, unless somebody has changed the source."""
    source.fetched = {**source.fetched, **values}
    kept = TableSource.objects.filter(pk=source.pk, version=source.version)
    kept.update(fetched=source.fetched)
