"""The last backup, its copy off the machine and the last restore drill, for notices,
checks and figures."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from django.conf import settings

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
