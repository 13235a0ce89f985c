"""The folder of archives: their names, and what is known of each, in a file beside it.

It is light enough for every page to import.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.settings.durable import as_json, replace_text

_MOMENT: Final = "%Y%m%dT%H%M%S%f"
_NAME: Final = re.compile(
    r"platform-(\d{8}T\d{12})Z-(by-hand-)?all\.tar\.gz(\.age)?", re.ASCII
)
# In the name and not in the record, because copies elsewhere have no record.
_BY_HAND: Final = "by-hand-"
ENCRYPTED: Final = ".age"
UNFINISHED: Final = ".platform-*-all.tar.gz*.tmp"
STATE: Final = ".json"
_LAST_BACKUP: Final = "last-backup.json"
_LAST_DRILL: Final = "last-drill.json"
_T = TypeVar("_T")


class OffsiteState(msgspec.Struct, kw_only=True):
    """How the copy of an archive to another place went."""

    place: str
    sent_at: str = ""
    attempts: int = 0
    next_at: str = ""
    error: str = ""


class ArchiveState(msgspec.Struct, kw_only=True):
    """What is known of an archive: the hash of its file, and whether it was read again."""

    size: int = 0
    sha256: str = ""
    version: str = ""
    # When it was read to its end and was good; empty if it wasn't.
    verified_at: str = ""
    # Only the file was compared, since the server has no key to open it.
    only_bytes: bool = False
    offsite: OffsiteState | None = None


class BackupResult(msgspec.Struct, frozen=True, kw_only=True):
    """How the last backup or restore drill ended."""

    at: str
    archive: str = ""
    problems: list[str] = []
    # What could not be checked here, and why.
    unchecked: list[str] = []
    seconds: float = 0.0
    rows: int = 0
    blobs: int = 0

    @property
    def ok(self) -> bool:
        """Return whether nothing was wrong."""
        return not self.problems

    @property
    def is_complete(self) -> bool:
        """Return whether nothing was wrong, and everything was checked."""
        return not self.problems and not self.unchecked

    @property
    def moment(self) -> datetime:
        """Return when it ended."""
        return datetime.fromisoformat(self.at)


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """An archive in the folder, and what is known of it."""

    path: Path
    taken: datetime
    size: int
    state: ArchiveState
    # Made because somebody asked for it, and not because it was due.
    is_by_hand: bool = False

    @property
    def name(self) -> str:
        """Return the name of its file."""
        return self.path.name

    @property
    def is_encrypted(self) -> bool:
        """Return whether it is encrypted."""
        return self.name.endswith(ENCRYPTED)

    @property
    def is_good(self) -> bool:
        """Return whether it was read again after it was written."""
        return bool(self.state.verified_at)


def makes_archives(configuration: Configuration) -> bool:
    """Return whether the server makes archives by itself."""
    schedule = configuration.settings.text("Backup:Schedule").casefold()
    has_tools = configuration.connection.provider is not Provider.SQL_SERVER
    return schedule not in ("", "off") and has_tools


def archive_name(moment: datetime, *, encrypted: bool, by_hand: bool = False) -> str:
    """Return a file name that sorts by time."""
    begin, end = _BY_HAND if by_hand else "", ENCRYPTED if encrypted else ""
    return f"platform-{moment.strftime(_MOMENT)}Z-{begin}all.tar.gz{end}"


def is_archive_name(name: str) -> bool:
    """Return whether a file is called like an archive in the folder."""
    return _NAME.fullmatch(name) is not None


def archives(folder: Path) -> list[ArchiveFile]:
    """Return the archives in a folder, the newest first; other files are ignored."""
    return sorted(_found(folder), key=lambda one: one.name, reverse=True)


def _found(folder: Path) -> Iterator[ArchiveFile]:
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if match := _NAME.fullmatch(path.name):
            taken = datetime.strptime(match[1], _MOMENT).replace(tzinfo=UTC)
            # It may be deleted at this moment.
            with suppress(FileNotFoundError):
                yield ArchiveFile(
                    path=path,
                    taken=taken,
                    size=path.stat().st_size,
                    state=state_of(path),
                    is_by_hand=bool(match[2]),
                )


def newest_archive(folder: Path) -> ArchiveFile | None:
    """Return the newest archive, None if there is none."""
    return next(iter(archives(folder)), None)


def state_of(archive: Path) -> ArchiveState:
    """Return what is known of an archive, nothing if its record can't be read."""
    return _read(_state_file(archive), ArchiveState) or ArchiveState()


def write_state(archive: Path, state: ArchiveState) -> None:
    """Record what is known of an archive."""
    replace_text(_state_file(archive), as_json(state))


def remove_archive(archive: Path) -> None:
    """Delete an archive and its record."""
    archive.unlink(missing_ok=True)
    _state_file(archive).unlink(missing_ok=True)


def last_backup(folder: Path) -> BackupResult | None:
    """Return how the last backup ended, None if there was none."""
    return _read(folder / _LAST_BACKUP, BackupResult)


def last_drill(folder: Path) -> BackupResult | None:
    """Return how the last restore drill ended, None if there was none."""
    return _read(folder / _LAST_DRILL, BackupResult)


def record_backup(folder: Path, outcome: BackupResult) -> None:
    """Record how a backup ended."""
    replace_text(folder / _LAST_BACKUP, as_json(outcome))


def record_drill(folder: Path, outcome: BackupResult) -> None:
    """Record how a restore drill ended."""
    replace_text(folder / _LAST_DRILL, as_json(outcome))


def now_text() -> str:
    """Return the current time as records have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _state_file(archive: Path) -> Path:
    return archive.with_name(archive.name + STATE)


def _read(path: Path, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, ValueError):
        return None
