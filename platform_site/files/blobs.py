"""The blob folder: bytes come in and are hashed on their way to the disk; a blob has its
full name only when all of it is there. Names are made of GUIDs, never of what a client
sent, so no path can lead out of the folder."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from django.conf import settings

_UNFINISHED: Final = ".part"
# Whoever is still writing writes more often than this.
_ABANDONED_SECONDS: Final = 3600


class TooManyBytes(Exception):
    """The end of an upload that is larger than allowed."""


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """The size and the hash of a blob that has been written."""

    size: int
    sha256: str


def folder() -> Path:
    """Return the blob folder of this installation."""
    return Path(settings.PLATFORM_BLOBS_FOLDER)


def path_of(key: UUID) -> Path:
    """Return where the blob of a GUID lies, in one of 256 folders."""
    return folder() / key.hex[:2] / key.hex


def write(key: UUID, chunks: Iterable[bytes], *, limit: int) -> StoredBlob:
    """Write a blob whole or not at all; TooLarge beyond `limit` bytes, or OSError."""
    path = path_of(key)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_suffix(_UNFINISHED)
    try:
        written = _fill(unfinished, chunks, limit)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return written


def _fill(path: Path, chunks: Iterable[bytes], limit: int) -> StoredBlob:
    size, digest = 0, hashlib.sha256()
    # For the application's user alone, from the first byte on.
    with os.fdopen(
        os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb"
    ) as f:
        for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise TooManyBytes
            digest.update(chunk)
            f.write(chunk)
        f.flush()
        os.fsync(f.fileno())
    return StoredBlob(size, digest.hexdigest())


def read(key: UUID) -> BinaryIO:
    """Open a blob for reading; raise OSError if it is not there."""
    return path_of(key).open("rb")


def remove(key: UUID) -> None:
    """Remove a blob, if it is there."""
    path_of(key).unlink(missing_ok=True)


def all_keys() -> Iterator[UUID]:
    """Yield the GUID of every finished blob; other people's files are passed over."""
    for path in folder().glob("??/*"):
        key = _key(path.name)
        if key is not None and path == path_of(key):
            yield key


def abandoned() -> Iterator[Path]:
    """Yield what uploads that never ended have left behind."""
    before = time.time() - _ABANDONED_SECONDS
    for path in folder().glob(f"??/*{_UNFINISHED}"):
        if _key(path.stem) is not None and path.stat().st_mtime < before:
            yield path


def _key(name: str) -> UUID | None:
    try:
        key = UUID(hex=name)
    except ValueError:
        return None
    return key if key.hex == name else None
