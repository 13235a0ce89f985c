"""Which archives are deleted: too old ones and, of those made regularly, the ones beyond
a number, but never the newest, never the newest good one, and no other file."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from platform_site.site.host.archive_folder import ArchiveFile, archives, remove_archive

logger = logging.getLogger("platform.backups")


def outdated(
    found: Sequence[ArchiveFile], now: datetime, *, days: int, number: int
) -> list[ArchiveFile]:
    """Return the archives to delete, of those in a folder with the newest first; a
    limit of 0 doesn't count."""
    newest_good = [one for one in found if one.is_good][:1]
    kept = [*found[:1], *newest_good]
    oldest = now - timedelta(days=days)
    # Archives by hand neither push out nights nor are pushed out by them.
    regular = [one for one in found if not one.is_by_hand]
    beyond = regular[number:] if number else []
    return [
        one
        for one in found
        if one not in kept and ((days and one.taken < oldest) or one in beyond)
    ]


def remove_outdated(folder: Path, *, days: int, number: int) -> None:
    """Delete the archives of a folder that are outdated."""
    for one in outdated(archives(folder), datetime.now(UTC), days=days, number=number):
        remove_archive(one.path)
        logger.info("Older archive removed: %s", one.path)
