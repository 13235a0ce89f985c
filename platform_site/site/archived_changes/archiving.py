"""The archiving of old changes, month by month: a file is written and read again, stored as
a row, and only then its changes are deleted.

If the process is killed, a file without a row is forgotten, and the changes of one with a
row are deleted the next time. So none is lost, and none is in two files.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.db import models, transaction
from django.db.models import F, Max, Min, Q
from django.db.utils import DatabaseError
from django.utils import timezone

from importer.models import ImportRun
from importer.services import database_lock
from platform_site.accounts.security_log import record_security_change
from platform_site.changes.models import ArchivedChanges, ChangeEvent
from platform_site.database.failures import reason_of
from platform_site.settings import data_folder as folders
from platform_site.settings.configuration import Configuration
from platform_site.settings.durable import sync_folder
from platform_site.site.archived_changes import files
from platform_site.site.archived_changes.errors import (
    ArchivingError,
    ArchivingInProgress,
)
from platform_site.site.archived_changes.selection import (
    ArchivingLimits,
    dispensable,
    limits,
)
from platform_site.webhooks.models import Webhook

DEFAULT_FOLDER: Final = ("archive", "changes")
_LOCK_KEY: Final = 0x41434847
_LOCK_FILE: Final = ("db", ".archived-changes.lock")
_AT_ONCE: Final = 1000
logger = logging.getLogger("platform.changes")


@dataclass(frozen=True, slots=True)
class ArchivingResult:
    """What an archiving did, or would do: the changes, the bytes of their files, and the
    times of the first and the last one. ``before`` is the moment that it kept to."""

    count: int
    size: int
    times: list[datetime]
    before: datetime
    held_by: Webhook | None


def archive_changes(
    configuration: Configuration,
    before: datetime,
    folder: Path,
    tell: Callable[[str], None] = lambda text: None,
) -> ArchivingResult:
    """Move the changes before a moment that nothing needs into files of a folder, and
    return what was done; `tell` gets a sentence for each file.

    Raise ArchivingError with a sentence; running it again finishes what was begun.
    """
    with alone(configuration), as_sentences(f"Changes can't be archived in {folder}"):
        folders.prepare(folder)
        _finish_begun(tell)
        for stray in folder.glob(files.UNFINISHED):
            stray.unlink()
        found = limits(before)
        count, size = 0, 0
        times: list[datetime] = []
        for begin, end in _months(found):
            row = _archived(folder, begin, end, found)
            if row is None:
                continue
            size += _moved(row, tell)
            count += row.count
            times += [row.first_at, row.last_at]
    return ArchivingResult(count, size, _ends(times), found.before, found.held_by)


def preview(configuration: Configuration, before: datetime) -> ArchivingResult:
    """Return what archiving the changes before a moment would do."""
    with alone(configuration):
        found = limits(before)
        count, size = 0, 0
        times: list[datetime] = []
        for begin, end in _months(found):
            number, length, ends = files.size_of(
                dispensable(_between(begin, end, found))
            )
            count, size, times = count + number, size + length, times + ends
    return ArchivingResult(count, size, _ends(times), found.before, found.held_by)


@contextmanager
def alone(configuration: Configuration) -> Iterator[None]:
    """Let one process at a time move changes."""
    path = configuration.data_folder.joinpath(*_LOCK_FILE)
    with database_lock(_LOCK_KEY, path) as lock:
        if not lock.take("archive_changes"):
            raise ArchivingInProgress
        yield


def _months(found: ArchivingLimits) -> Iterator[tuple[datetime, datetime]]:
    """Yield begin and end of each month with changes that may leave."""
    old = ChangeEvent.objects.filter(at__lt=found.before).order_by("at")
    begin: datetime | None = old.values_list("at", flat=True).first()
    while begin is not None:
        month = begin.astimezone(UTC).replace(
            day=1, hour=0, minute=0, second=0, microsecond=0
        )
        following = month.replace(
            year=month.year + month.month // 12, month=month.month % 12 + 1
        )
        end = min(following, found.before)
        yield month, end
        begin = old.filter(at__gte=end).values_list("at", flat=True).first()


def _between(begin: datetime, end: datetime, found: ArchivingLimits) -> Any:
    """Return the changes of a period, within the ids that they have."""
    within = ChangeEvent.objects.filter(at__gte=begin, at__lt=end)
    ids = within.order_by().aggregate(first=Min("id"), last=Max("id"))
    first, last = ids["first"] or 0, min(ids["last"] or 0, found.last_id)
    return within.filter(id__gte=first, id__lte=last)


def _archived(
    folder: Path, begin: datetime, end: datetime, found: ArchivingLimits
) -> ArchivedChanges | None:
    """Write the file of a month, and store it; return None if nothing may leave."""
    began = timezone.now()
    header = files.write(folder, dispensable(_between(begin, end, found)))
    if header is None:
        return None
    path = folder / files.name_of(header)
    temporary = files.unfinished(path)
    if files.check(temporary) != header:
        raise ArchivingError(f"The file {path} differs from what was written to it.")
    if path.exists() and files.check(path).sha256 != header.sha256:
        raise ArchivingError(
            f"The file {path} exists already and has other changes. Move it away, or name "
            "another folder with --to."
        )
    row = ArchivedChanges.objects.create(
        file=str(path),
        count=header.count,
        first_id=header.first_id,
        last_id=header.last_id,
        first_at=header.first_at,
        last_at=header.last_at,
        sha256=header.sha256,
    )
    # From here on no undo begins that needs these changes.
    if undo := _undo_of_old_run(header.last_at, since=began):
        row.delete()
        temporary.unlink()
        raise ArchivingError(
            f"The run {undo.run_id} has just undone an old run, so these changes may be "
            "needed. Run the command again when it has ended."
        )
    return row


def _undo_of_old_run(last_at: datetime, since: datetime) -> ImportRun | None:
    """Return an undo that was in progress since a moment, of a run whose later changes
    are to leave."""
    undos = ImportRun.objects.filter(
        kind=ImportRun.Kind.UNDO, based_on__started_at__lte=last_at
    )
    return undos.filter(Q(finished_at=None) | Q(finished_at__gte=since)).first()


def _finish_begun(tell: Callable[[str], None]) -> None:
    """Delete what an interrupted archiving has left in the history."""
    for row in ArchivedChanges.objects.filter(removed_at=None, restored_at=None):
        _moved(row, tell)


def _moved(row: ArchivedChanges, tell: Callable[[str], None]) -> int:
    """Give a stored file its name, delete its changes, and return its size."""
    path = Path(row.file)
    temporary = files.unfinished(path)
    if temporary.exists():
        temporary.rename(path)
        sync_folder(path.parent)
    if not path.exists():
        raise ArchivingError(
            f"Changes that were being archived in {path} when the command ended are still "
            "to be deleted, and the file isn't on this machine. Run the command on the "
            "node where it is, or copy it here."
        )
    header = files.check(path)
    if (header.count, header.sha256) != (row.count, row.sha256):
        raise ArchivingError(f"The file {path} isn't the one that was written.")
    for keys in _keys_of(path):
        move(row, partial(_delete, keys))
    with transaction.atomic():
        row.removed_at = timezone.now()
        row.save(update_fields=["removed_at"])
        changes: Mapping[str, Sequence[Any]] = {
            "file": [None, row.file],
            "count": [None, row.count],
            "firstAt": [None, row.first_at],
            "lastAt": [None, row.last_at],
        }
        record_security_change(ChangeEvent.Action.CREATED, row, changes)
    size = path.stat().st_size
    tell(f"{row.count:,} changes are archived in {path} ({size:,} bytes).")
    return size


def _keys_of(path: Path) -> Iterable[list[int]]:
    keys = (change.id for change in files.changes_of(path))
    while part := list(itertools.islice(keys, _AT_ONCE)):
        yield part


def _delete(keys: list[int]) -> None:
    # Not with the manager of events, which refuses it.
    models.QuerySet(ChangeEvent).filter(pk__one_of=keys).delete()


def move(row: ArchivedChanges, change: Callable[[], None]) -> None:
    """Delete or restore some changes of a file in a short transaction."""
    with transaction.atomic():
        change()
        ArchivedChanges.objects.filter(pk=row.pk).update(moves=F("moves") + 1)


def _ends(times: list[datetime]) -> list[datetime]:
    return [min(times), max(times)] if times else []


@contextmanager
def as_sentences(failure: str) -> Iterator[None]:
    """Convert what may fail on the way into sentences."""
    try:
        yield
    except (OSError, DatabaseError) as error:
        raise ArchivingError(
            f"{failure}: {reason_of(error)}. None is lost; run the command again."
        ) from error
