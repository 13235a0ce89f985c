"""The last backup, for notices, checks and figures."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from django.conf import settings

from platform_site.settings.configuration import active
from platform_site.site.archives.folder import newest_archive
from platform_site.site.host.backups import backups_folder, newest_copy_taken_at


def folder_of_archives() -> Path:
    """Return the folder of archives of this process."""
    folder: Path = settings.PLATFORM_DATA_FOLDER
    return folder / active().settings.text("Backup:Folder")


def last_backup_taken_at() -> datetime | None:
    """Return when the newest archive or copy of the database was made, None if there is
    none."""
    archive = newest_archive(folder_of_archives())
    copy = newest_copy_taken_at(backups_folder(settings.PLATFORM_DATA_FOLDER))
    taken = [archive.taken] if archive else []
    return max([*taken, *([copy] if copy else [])], default=None)
