"""The files of archived changes: compressed lines of JSON that explain themselves.

The first line describes the file, each further one is a change as ``GET /Changes`` has it,
with the id of its request.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final
from uuid import UUID

import msgspec
from django.utils import timezone

from platform_site import __version__
from platform_site.changes.api import ChangeEventSerializer
from platform_site.changes.models import ChangeEvent
from platform_site.settings.durable import sync_file
from platform_site.site.archived_changes.errors import ArchivingError

FORMAT: Final = "platform-changes/1"
UNFINISHED: Final = ".changes-*.tmp"


class FileHeader(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The first line of a file: what the file is, and what must be in it."""

    format: str
    # The version of the platform that wrote it.
    version: str
    archived: datetime
    count: int
    first_id: int
    last_id: int
    first_at: datetime
    last_at: datetime
    # Of all further lines, with their ends.
    sha256: str


class ArchivedChange(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Any further line of a file: a change."""

    id: int
    at: datetime
    user: str
    user_id: int | None
    action: str
    origin: str
    run_id: UUID | None
    model: str
    row_id: int | None
    row: str
    changes: Any
    request_id: str | None


class _Summary:
    """What is known of changes after they have passed."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.count = self.first_id = self.last_id = 0
        self.first_at = datetime.max.replace(tzinfo=UTC)
        self.last_at = datetime.min.replace(tzinfo=UTC)

    def add(self, line: bytes, key: int, at: datetime) -> None:
        """Add a line with its change."""
        self.digest.update(line)
        self.first_id = self.first_id or key
        self.last_id = key
        self.first_at, self.last_at = min(self.first_at, at), max(self.last_at, at)
        self.count += 1

    def header(self, archived: datetime, version: str) -> FileHeader:
        """Return the description of the changes."""
        return FileHeader(
            format=FORMAT,
            version=version,
            archived=archived,
            count=self.count,
            first_id=self.first_id,
            last_id=self.last_id,
            first_at=self.first_at,
            last_at=self.last_at,
            sha256=self.digest.hexdigest(),
        )


def name_of(header: FileHeader) -> str:
    """Return the name of a file: the month of its changes, and their ids."""
    return (
        f"changes-{header.first_at:%Y-%m}.{header.first_id}-{header.last_id}.jsonl.gz"
    )


def unfinished(path: Path) -> Path:
    """Return the path of a file that hasn't got its name yet."""
    return path.with_name(f".{path.name}.tmp")


def write(folder: Path, parts: Iterable[Sequence[ChangeEvent]]) -> FileHeader | None:
    """Write a file beside its name, flush it to disk, and return its first line; without
    any changes, write nothing and return None."""
    body, summary = folder / ".changes-body.tmp", _Summary()
    try:
        with _created(body) as file, _packed(file) as packed:
            for part in parts:
                for event in part:
                    line = line_of(event)
                    packed.write(line)
                    summary.add(line, event.pk, event.at)
        if not summary.count:
            return None
        header = summary.header(timezone.now().astimezone(UTC), __version__)
        path = unfinished(folder / name_of(header))
        path.unlink(missing_ok=True)
        with _created(path) as file:
            # Programs that unpack read one compressed part after the other.
            with _packed(file) as packed:
                packed.write(msgspec.json.encode(header) + b"\n")
            with body.open("rb") as source:
                shutil.copyfileobj(source, file, 1 << 20)
        sync_file(path)
        return header
    finally:
        body.unlink(missing_ok=True)


def size_of(parts: Iterable[Sequence[ChangeEvent]]) -> tuple[int, int, list[datetime]]:
    """Return what a file would have: the number of changes, the bytes of the file, and
    the times of the first and the last one."""
    summary, packer, size = _Summary(), zlib.compressobj(), 0
    for part in parts:
        for event in part:
            line = line_of(event)
            summary.add(line, event.pk, event.at)
            size += len(packer.compress(line))
    size += len(packer.flush())
    times = [summary.first_at, summary.last_at] if summary.count else []
    return summary.count, size if summary.count else 0, times


def line_of(event: ChangeEvent) -> bytes:
    """Return a change as a line."""
    with timezone.override(UTC):
        shown = dict(ChangeEventSerializer(event).data)
    # Whatever the history has, also if no API would show it like this.
    shown |= {"changes": event.changes, "requestId": event.request_id}
    return msgspec.json.encode(shown) + b"\n"


def check(path: Path) -> FileHeader:
    """Read a file to its end, and return its first line; raise ArchivingError for any
    content that isn't what was written."""
    lines = read(path)
    header, summary = next(lines), _Summary()
    for line, change in lines:
        summary.add(line, change.id, change.at)
    found = summary.header(header[1].archived, header[1].version)
    if found != header[1]:
        raise ArchivingError(
            f"The file {path} is damaged: its changes aren't those of its first line. "
            "Use a copy of it, for example from a backup."
        )
    return found


def changes_of(path: Path) -> Iterator[ArchivedChange]:
    """Yield the changes of a file."""
    lines = read(path)
    next(lines)
    yield from (change for _line, change in lines)


def read(path: Path) -> Iterator[Any]:
    """Yield each line of a file with what it says, the first of which is the header;
    raise ArchivingError for anything else."""
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                if number > 1:
                    yield line, msgspec.json.decode(line, type=ArchivedChange)
                    continue
                header = msgspec.json.decode(line, type=FileHeader)
                if header.format != FORMAT:
                    raise ArchivingError(
                        f"The file {path} has the format '{header.format}'; this "
                        f"version reads {FORMAT}. Use a newer version."
                    )
                yield line, header
    except (EOFError, zlib.error, gzip.BadGzipFile, msgspec.DecodeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ArchivingError(
            f"The file {path} isn't a whole file of archived changes (line "
            f"{number + 1}): {reason}."
        ) from None
    except OSError as error:
        raise ArchivingError(
            f"The file {path} can't be read: {error.strerror or error}."
        ) from None
    if not number:
        raise ArchivingError(f"The file {path} is empty.")


def _created(path: Path) -> BinaryIO:
    handle = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    return os.fdopen(handle, "wb")


def _packed(file: BinaryIO) -> gzip.GzipFile:
    """Return a compressed part of a file, without name and time."""
    return gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)
