"""The last backup, its copy off the machine and the last restore drill, for notices,
checks and figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from platform_site.settings.configuration import active
from platform_site.site.archives.backup_settings import backup_settings
from platform_site.site.host.archive_folder import (
    BackupResult,
    archives,
    last_backup,
    last_drill,
    newest_archive,
)
from platform_site.site.host.backups import backups_folder, newest_copy_taken_at
from platform_site.site.host.last_start import last_start

# How late a backup may be, and how old if none is made by itself.
_GRACE: Final = timedelta(days=1)
_RECENT: Final = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class BackupTrouble:
    """What is wrong with backups, as a sentence: a failure, or that there is no recent
    one, with what to do."""

    sentence: str
    is_failure: bool


def folder_of_archives() -> Path:
    """Return the folder of archives of this process."""
    folder: Path = settings.PLATFORM_DATA_FOLDER
    return folder / active().settings.text("Backup:Folder")


def last_backup_taken_at() -> datetime | None:
    """Return when the newest archive was made, None if there is none.

    A copy of the database counts only where there are no archives: it has neither
    attachments nor keys, and never leaves the machine.
    """
    archive = newest_archive(folder_of_archives())
    if archive is not None:
        return archive.taken
    return newest_copy_taken_at(backups_folder(settings.PLATFORM_DATA_FOLDER))


def failures() -> dict[str, str]:
    """Return why the last backup, its copy off the machine (`offsite`) and the last
    restore drill failed, an empty text for what went well or wasn't due yet."""
    folder = folder_of_archives()
    return {
        "backup": _first(last_backup(folder)),
        "offsite": _offsite_failure(folder),
        "drill": _first(last_drill(folder)),
    }


def backup_troubles() -> Iterator[BackupTrouble]:
    """Yield what is wrong with backups, for checks and for the start page."""
    sentences = {
        "backup": _("The last backup failed: %(reason)s"),
        "offsite": _(
            "The last backup isn't copied off this machine: %(reason)s It is tried again."
        ),
        "drill": _("The last restore drill failed: %(reason)s"),
    }
    for what, reason in failures().items():
        if reason:
            shown = f"{reason[:1].upper()}{reason[1:].rstrip('.')}."
            yield BackupTrouble(sentences[what] % {"reason": shown}, is_failure=True)
    remedy = _remedy()
    if remedy:
        sentence = f"{last_backup_sentence()} {remedy}"
        yield BackupTrouble(sentence, is_failure=False)


def last_backup_sentence() -> str:
    """Return when the last backup was made, for people."""
    taken = last_backup_taken_at()
    if taken is None:
        return _("There is no backup yet.")
    local = timezone.localtime(taken)
    shown = date_format(local, "SHORT_DATETIME_FORMAT")
    return _("The last backup is from %(moment)s.") % {"moment": shown}


def _remedy() -> str:
    """Return what to do if there is no recent backup, empty if there is."""
    configuration = active()
    schedule = backup_settings(configuration).schedule
    taken, now = last_backup_taken_at(), timezone.now()
    if schedule is None:
        is_recent = taken is not None and now - taken <= _RECENT
        # Another node may make them, in a folder of its own.
        if is_recent or configuration.has_nodes:
            return ""
        return _(
            "Backup:Schedule is off, so none is made by itself: make one with “Back up "
            "now” on the page System, or set a schedule."
        )
    since = taken or _started_at()
    if since is None or now <= schedule.next_after(since) + _GRACE:
        return ""
    return _(
        "None was made when it was due. Make one with “Back up now” on the page System, "
        "and look for the reason in the log."
    )


def _started_at() -> datetime | None:
    """Return when this version was first started, without asking the database: the first
    night has to pass before a backup is missed."""
    last = last_start(settings.PLATFORM_DATA_FOLDER)
    return datetime.fromisoformat(last.at) if last else None


def _first(result: BackupResult | None) -> str:
    return next(iter(result.problems), "") if result else ""


def _offsite_failure(folder: Path) -> str:
    """Return why the newest archive that was tried isn't off the machine."""
    place = backup_settings(active()).offsite.name
    tried: Iterable[tuple[str, str]] = (
        (one.state.offsite.place, one.state.offsite.error)
        for one in archives(folder)
        if one.state.offsite is not None
    )
    return next((error for where, error in tried if where == place), "")
