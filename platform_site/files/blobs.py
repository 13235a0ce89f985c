"""The blobs of uploaded files, by GUID, in the folder or the bucket of this installation.
Bytes are hashed while they are written, and a blob gets its final name only when it is
complete. Names are made of GUIDs and never of client input, so no path can leave the
place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from platform_site.files.stores import (
    UNFINISHED,
    BlobStore,
    StoredBlob,
    open_store,
)

# Where the importer keeps uploaded packages, beside the blobs.
PACKAGES: Final = "packages"
# An upload in progress writes more often than this.
_ABANDONED_AFTER: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Blob:
    """A complete blob."""

    key: UUID
    size: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class Contents:
    """The complete blobs, and the names of files of uploads that never ended. A bucket
    has no such files: it shows only complete objects."""

    blobs: list[Blob]
    abandoned: list[str]


def store() -> BlobStore:
    """Return the place of blobs of this installation."""
    folder, bucket = settings.PLATFORM_BLOBS_FOLDER, settings.PLATFORM_BLOBS_BUCKET
    return open_store(Path(folder), bucket)


def name_of(key: UUID) -> str:
    """Return the name of a blob, in one of 256 folders."""
    return f"{key.hex[:2]}/{key.hex}"


def write(key: UUID, chunks: Iterable[bytes], *, limit: int) -> StoredBlob:
    """Write a blob completely or not at all; raise TooManyBytes beyond `limit`, or
    OSError."""
    return store().write(name_of(key), chunks, limit=limit)


def read(key: UUID) -> BinaryIO:
    """Open a blob for reading; raise FileNotFoundError if it doesn't exist, or
    OSError."""
    return store().read(name_of(key))


def remove(key: UUID) -> None:
    """Delete a blob if it exists."""
    store().remove(name_of(key))


def contents() -> Contents:
    """Return every blob and the remains of uploads; other files are ignored."""
    found = Contents([], [])
    before = timezone.now() - _ABANDONED_AFTER
    for one in store().list():
        name = one.name.removesuffix(UNFINISHED)
        key = key_of(name)
        if key is not None and name == one.name:
            found.blobs.append(Blob(key, one.size, one.modified))
        elif key is not None and one.modified < before:
            found.abandoned.append(one.name)
    return found


def key_of(name: str) -> UUID | None:
    """Return the GUID in the name of a blob, None for any other name."""
    try:
        key = UUID(hex=name[3:])
    except ValueError:
        return None
    return key if name_of(key) == name else None
