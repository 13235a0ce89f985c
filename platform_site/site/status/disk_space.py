"""The free space on the installation's disks: enough, little (a notice on the start
page), or none (it can't serve any more)."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection

# SQLite's log grows by 4 MB before it is written back, and uploads are spooled.
NONE_LEFT_BYTES: Final = 8 << 20
_LITTLE_LEFT_BYTES: Final = 1_000_000_000
_LOG: Final = "-wal"


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The free bytes on the disk of a folder, and the wanted number."""

    folder: Path
    free: int
    wanted: int

    @property
    def is_little(self) -> bool:
        """Return whether space should be freed soon."""
        return self.free < self.wanted

    @property
    def is_none(self) -> bool:
        """Return whether hardly anything can be written."""
        return self.free < NONE_LEFT_BYTES


def disk_spaces() -> list[DiskSpace]:
    """Return the space of each disk that the installation writes to."""
    return spaces_of(_folders(), _wanted())


def spaces_of(folders: Iterable[Path], wanted: int) -> list[DiskSpace]:
    """Return the space on the disks of the folders, each disk once."""
    by_disk: dict[int, DiskSpace] = {}
    for folder in folders:
        there = next(each for each in (folder, *folder.parents) if each.exists())
        if (disk := there.stat().st_dev) not in by_disk:
            by_disk[disk] = DiskSpace(folder, shutil.disk_usage(there).free, wanted)
    return list(by_disk.values())


def space_trouble() -> str:
    """Return which disk has no space to serve, empty if none."""
    for space in disk_spaces():
        if space.is_none:
            return f"only {space.free:,} bytes are free on the disk of {space.folder}."
    return ""


def _folders() -> list[Path]:
    folders = [Path(settings.PLATFORM_DATA_FOLDER)]
    if (database := _database_file()) is not None:
        folders.append(database.parent)
    if settings.PLATFORM_BLOBS_BUCKET is None:
        folders.append(Path(settings.PLATFORM_BLOBS_FOLDER))
    return folders


def _wanted() -> int:
    """Return the configured space, else that for growth of the database and a copy."""
    configured: int | None = settings.PLATFORM_WARN_BELOW_BYTES
    if configured is not None:
        return configured
    database = _database_file()
    parts = () if database is None else (database, Path(f"{database}{_LOG}"))
    size = sum(part.stat().st_size for part in parts if part.is_file())
    return max(_LITTLE_LEFT_BYTES, 2 * size)


def _database_file() -> Path | None:
    name = connection.settings_dict["NAME"]
    return Path(name) if connection.vendor == "sqlite" else None
