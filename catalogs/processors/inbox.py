"""The folder of a table source: which of its files are complete, and where they go."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

DONE: Final = "done"
FAILED: Final = "failed"
# A file with this name beside another says that the other is complete.
READY: Final = ".ready"
_PARTIAL = (READY, ".tmp", ".part", ".partial", ".filepart", ".crdownload")
# A file is complete if it is as it was when somebody looked before, or old.
_LOOKED_BEFORE: Final = timedelta(seconds=10)
_OLD: Final = timedelta(minutes=2)
_TRIES: Final = 1000

Seen = Mapping[str, Any]
"""Size, change and time of the last look at each file that wasn't complete."""
Reports = Iterable[tuple[str, Iterable[bytes]]]
"""The files that are written beside another, each with the end of its name."""


class WaitingFile(msgspec.Struct, frozen=True):
    """A complete file of a folder."""

    path: Path
    found: os.stat_result

    @property
    def size(self) -> int:
        """Return the size of the file in bytes."""
        return self.found.st_size

    def is_as_found(self) -> bool:
        """Return whether nobody has written to the file or put another one in its place
        since it was found."""
        try:
            now = self.path.lstat()
        except FileNotFoundError:
            return False
        return _identity(now) == _identity(self.found)

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return self.path.name

    def opened(self) -> BinaryIO:
        """Open the file; raise FileNotFoundError if it has vanished."""
        # Nobody may put a link in its place meanwhile.
        handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        return os.fdopen(handle, "rb")


class Inbox:
    """The folder of a source, with its folders ``done`` and ``failed``."""

    def __init__(self, folder: Path, pattern: str) -> None:
        self._folder = folder
        self._pattern = pattern

    def prepare(self) -> None:
        """Create what is missing; raise OSError if files couldn't be moved."""
        for name in (DONE, FAILED):
            folder = self._folder / name
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()

    def waiting(
        self, seen: Seen, now: datetime
    ) -> tuple[list[WaitingFile], dict[str, Any]]:
        """Return the complete files, oldest first, and what was seen of the others."""
        complete, others = [], {}
        for name, found in self._files():
            mark = [found.st_size, found.st_mtime_ns]
            is_ready = (self._folder / f"{name}{READY}").exists()
            old = now.timestamp() - found.st_mtime >= _OLD.total_seconds()
            if is_ready or old or _is_unchanged(seen.get(name), mark, now):
                path = self._folder / name
                complete.append(WaitingFile(path, found))
            else:
                before = seen.get(name, {})
                same = before.get("mark") == mark
                at = before["at"] if same else now.timestamp()
                others[name] = {"mark": mark, "at": at}
        oldest = sorted(complete, key=lambda file: (file.found.st_mtime, file.name))
        return oldest, others

    def _files(self) -> Iterable[tuple[str, os.stat_result]]:
        """Yield the files that the source is about; links and folders aren't."""
        with os.scandir(self._folder) as entries:
            for entry in entries:
                name = entry.name
                if name.startswith((".", "~")) or name.lower().endswith(_PARTIAL):
                    continue
                if not fnmatch(name.lower(), self._pattern.lower()):
                    continue
                try:
                    found = Path(entry.path).lstat()
                except FileNotFoundError:  # it has vanished
                    continue
                if stat.S_ISREG(found.st_mode):
                    yield name, found

    def put_away(
        self, file: WaitingFile, where: str, now: datetime, reports: Reports = ()
    ) -> Path | None:
        """Move a file with its reports into ``done`` or ``failed`` and return its new
        path; raise OSError if that isn't possible.

        A file that isn't as it was found stays, for the next time; return None.
        """
        if not file.is_as_found():
            return None
        target, written = self._free(where, file.name, now), []
        is_moved = False
        try:
            # The file comes last: if the server dies before that, it is imported again,
            # and what lies in the folder always has its reports.
            for ending, pieces in reports:
                written.append(target.with_name(target.name + ending))
                _write(written[-1], pieces)
            if file.is_as_found():
                # Before the file: it would make half of the next one complete.
                (self._folder / f"{file.name}{READY}").unlink(missing_ok=True)
                file.path.rename(target)
                is_moved = True
        finally:
            if not is_moved:
                for report in written:
                    report.unlink(missing_ok=True)
        return target if is_moved else None

    def _free(self, where: str, name: str, now: datetime) -> Path:
        """Return a path at which no file is yet."""
        stamp = now.strftime("%Y-%m-%dT%H-%M-%S")
        for number in range(_TRIES):
            again = f"-{number}" if number else ""
            target = self._folder / where / f"{stamp}{again}Z-{name}"
            if not target.exists():
                break
        return target


def _write(place: Path, pieces: Iterable[bytes]) -> None:
    """Write a file, which has its name only when it is whole."""
    part = place.with_name(f".{place.name}.part")
    try:
        with part.open("wb") as out:
            out.writelines(pieces)
        part.rename(place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _is_unchanged(before: Any, mark: list[int], now: datetime) -> bool:
    """Return whether a file is as it was some seconds ago."""
    if not before or before["mark"] != mark:
        return False
    return bool(now.timestamp() - before["at"] >= _LOOKED_BEFORE.total_seconds())
