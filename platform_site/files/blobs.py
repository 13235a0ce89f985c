"""The blob folder. Bytes are hashed while they are written, and a blob gets its final
name only when it is complete. Names are made of GUIDs and never of client input, so no
path can leave the folder."""

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
# An upload in progress writes more often than this.
_ABANDONED_SECONDS: Final = 3600


class TooManyBytes(Exception):
    """The refusal of an upload that is larger than allowed."""


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """The size and hash of a written blob."""

    size: int
    sha256: str


def folder() -> Path:
    """Return the blob folder of this installation."""
    return Path(settings.PLATFORM_BLOBS_FOLDER)


def path_of(key: UUID) -> Path:
    """Return the path of a blob, in one of 256 folders."""
    return folder() / key.hex[:2] / key.hex


def write(key: UUID, chunks: Iterable[bytes], *, limit: int) -> StoredBlob:
    """Write a blob completely or not at all; raise TooManyBytes beyond `limit`, or
    OSError."""
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
    # Only for the application's user, from the first byte on.
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
    """Open a blob for reading; raise OSError if it doesn't exist."""
    return path_of(key).open("rb")


def remove(key: UUID) -> None:
    """Delete a blob if it exists."""
    path_of(key).unlink(missing_ok=True)


def all_keys() -> Iterator[UUID]:
    """Yield the GUID of every complete blob; other files are ignored."""
    for path in folder().glob("??/*"):
        key = _key(path.name)
        if key is not None and path == path_of(key):
            yield key


def abandoned() -> Iterator[Path]:
    """Yield the files of uploads that never ended."""
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
