"""When the next archive and the next restore drill are due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from platform_site.site.archives.backup_settings import BackupSettings
from platform_site.site.host.archive_folder import (
    last_backup,
    last_drill,
    newest_archive,
)

_AGAIN_AFTER: Final = timedelta(hours=1)


def next_backup(chosen: BackupSettings) -> datetime | None:
    """Return when the next archive is due, None if none is made regularly.

    A time that has passed while no server ran is made up.
    """
    if chosen.schedule is None:
        return None
    newest = newest_archive(chosen.folder)
    since = newest.taken if newest else _installed_at()
    due = chosen.schedule.next_after(since)
    failed = last_backup(chosen.folder)
    if failed is not None and not failed.ok and failed.moment > since:
        return max(due, failed.moment + _AGAIN_AFTER)
    return due


def is_backup_due(chosen: BackupSettings, now: datetime) -> bool:
    """Return whether an archive should be made."""
    due = next_backup(chosen)
    return due is not None and due <= now


def is_drill_due(chosen: BackupSettings, now: datetime) -> bool:
    """Return whether the newest archive should be tried: after a month, a day after a
    failure, or if none was tried."""
    if chosen.drill_every is None or newest_archive(chosen.folder) is None:
        return False
    last = last_drill(chosen.folder)
    if last is None:
        return True
    pause = chosen.drill_every if last.ok else timedelta(days=1)
    return not timedelta() <= now - last.moment < min(pause, chosen.drill_every)


def _installed_at() -> datetime:
    """Return when the database was created: before the first archive is due, a night
    has to pass."""
    try:
        applied = MigrationRecorder(connection).migration_qs.order_by("applied")
        first = applied.values_list("applied", flat=True).first()
    except DatabaseError:
        first = None
    return first or datetime.now(UTC)
