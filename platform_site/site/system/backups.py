"""The backups as the system page shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.site.archives.backup_settings import (
    BackupSettings,
    backup_settings,
)
from platform_site.site.archives.due import next_backup
from platform_site.site.archives.service import is_backing_up
from platform_site.site.host.archive_folder import (
    ArchiveFile,
    archives,
    last_backup,
    last_drill,
)
from platform_site.site.host.backups import (
    archives_folder,
    backups_folder,
    copies,
    copy_taken_at,
)


@dataclass(frozen=True, slots=True)
class BackupRow:
    """An archive, or a copy of the database alone."""

    name: str
    taken: datetime
    size: int
    content: str
    is_encrypted: bool = False
    checked: str = ""
    offsite: str = ""
    offsite_tone: str = ""
    offsite_reason: str = ""


def backup_context(configuration: Configuration) -> dict[str, Any]:
    """Return what the section of backups shows."""
    chosen = backup_settings(configuration)
    failed, drill = last_backup(chosen.folder), last_drill(chosen.folder)
    return {
        "backups": sorted(_rows(chosen), key=lambda row: row.taken, reverse=True),
        "can_back_up": configuration.connection.provider is not Provider.SQL_SERVER,
        "is_backing_up": is_backing_up(),
        "next_backup": next_backup(chosen),
        "failed_backup": failed if failed and not failed.ok else None,
        "drill": drill,
        "offsite_place": chosen.offsite.name,
        "encrypts": chosen.keys.encrypt,
        "is_postgresql": configuration.connection.provider is Provider.POSTGRESQL,
    }


def backup_file(configuration: Configuration, name: str) -> Path | None:
    """Return the archive or copy of a name, None if there is none."""
    known = [one.path for one in archives(archives_folder(configuration))]
    known += copies(backups_folder(settings.PLATFORM_DATA_FOLDER))
    return next((path for path in known if path.name == name), None)


def _rows(chosen: BackupSettings) -> Iterator[BackupRow]:
    for archive in archives(chosen.folder):
        yield _archive_row(archive, chosen)
    for path in copies(backups_folder(settings.PLATFORM_DATA_FOLDER)):
        size = path.stat().st_size
        yield BackupRow(path.name, copy_taken_at(path), size, _("database only"))


def _archive_row(archive: ArchiveFile, chosen: BackupSettings) -> BackupRow:
    checked = ""
    if archive.is_good:
        checked = _("file compared") if archive.state.only_bytes else _("read again")
    offsite, tone, reason = _offsite(archive, chosen)
    return BackupRow(
        name=archive.name,
        taken=archive.taken,
        size=archive.size,
        content=_("whole installation"),
        is_encrypted=archive.is_encrypted,
        checked=checked,
        offsite=offsite,
        offsite_tone=tone,
        offsite_reason=reason,
    )


def _offsite(archive: ArchiveFile, chosen: BackupSettings) -> tuple[str, str, str]:
    """Return the state of the copy to another place, its tone and a reason."""
    state = archive.state.offsite
    if not chosen.offsite:
        return "", "", ""
    if state is None or state.place != chosen.offsite.name:
        return _("waiting"), "", ""
    if state.sent_at:
        return _("copied"), "good", ""
    return _("not copied"), "bad", state.error
