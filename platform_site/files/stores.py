"""Where blobs are stored: in a folder or in a bucket. Both write a blob completely or not
at all, and only callers that choose between them know which it is."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from platform_site.files.bucket import Bucket, StoredObject, open_bucket
from platform_site.settings.s3_place import S3Place

UNFINISHED: Final = ".part"
# The name of the file that tells a place that several nodes share from others.
MARK: Final = ".installation"
_CHUNK: Final = 1 << 20


class TooManyBytes(Exception):
    """The refusal of an upload that is larger than allowed."""


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """The size and hash of a written blob."""

    size: int
    sha256: str


class BlobStore(Protocol):
    """A place of blobs by name, such as `ab/abcdef`.

    Methods raise OSError, which is StorageUnavailable for a bucket that fails.
    """

    @property
    def place(self) -> str:
        """Return the place for people."""

    def write(
        self, name: str, chunks: Iterable[bytes], *, limit: int | None = None
    ) -> StoredBlob:
        """Write a blob completely or not at all; raise TooManyBytes beyond `limit`."""

    def take(self, name: str, path: Path) -> None:
        """Move a file into the store, in the place of a blob with that name."""

    def read(self, name: str) -> BinaryIO:
        """Open a blob as a seekable file; raise FileNotFoundError if there is none."""

    def find(self, name: str) -> StoredObject | None:
        """Return what is known of a blob, None if there is none."""

    def remove(self, name: str) -> None:
        """Delete a blob if it exists."""

    def list(self, folder: str = "") -> Iterator[StoredObject]:
        """Yield what is in all folders of the store, or in one, unfinished files
        included."""


def open_store(folder: Path, bucket: S3Place | None) -> BlobStore:
    """Return the store of an installation; raise StorageUnavailable if the library for
    buckets is missing."""
    if bucket is None:
        return FolderStore(folder)
    return BucketStore(open_bucket(bucket), bucket.name)


class FolderStore:
    """A folder with blobs in folders of two letters."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def place(self) -> str:
        """Return the path."""
        return str(self.folder)

    def write(
        self, name: str, chunks: Iterable[bytes], *, limit: int | None = None
    ) -> StoredBlob:
        """Write beside the name, and rename the complete file."""
        path = self.folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = path.with_suffix(UNFINISHED)
        # That of a killed command, which writes the same name again.
        unfinished.unlink(missing_ok=True)
        try:
            # Only for the application's user, from the first byte on.
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
            with os.fdopen(os.open(unfinished, flags, 0o600), "wb") as file:
                written = _fill(file, chunks, limit)
                os.fsync(file.fileno())
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        return written

    def take(self, name: str, path: Path) -> None:
        """Rename a file of the same disk."""
        target = self.folder / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.replace(target)

    def read(self, name: str) -> BinaryIO:
        """Open the file."""
        return (self.folder / name).open("rb")

    def find(self, name: str) -> StoredObject | None:
        """Return size and time of the file."""
        try:
            return _stored(name, (self.folder / name).stat())
        except FileNotFoundError:
            return None

    def remove(self, name: str) -> None:
        """Delete the file."""
        (self.folder / name).unlink(missing_ok=True)

    def list(self, folder: str = "") -> Iterator[StoredObject]:
        """Yield the files of the folders; those of people and restores are included."""
        found = [folder] if folder else _folders_in(self.folder)
        for name in found:
            for entry in _entries(self.folder / name):
                # Removed just now, perhaps.
                stored = self.find(f"{name}/{entry.name}") if entry.is_file() else None
                if stored is not None:
                    yield stored


class BucketStore:
    """A bucket. Bytes pass through a temporary file: nothing reaches the bucket before
    the upload is known to be whole, and what is read can be sent and searched like any
    file."""

    def __init__(self, bucket: Bucket, place: str) -> None:
        self._bucket = bucket
        self._place = place

    @property
    def place(self) -> str:
        """Return bucket and prefix."""
        return self._place

    def write(
        self, name: str, chunks: Iterable[bytes], *, limit: int | None = None
    ) -> StoredBlob:
        """Gather the blob, and upload it."""
        with tempfile.TemporaryFile() as file:
            written = _fill(file, chunks, limit)
            file.seek(0)
            self._bucket.put(name, file, written.size)
        return written

    def take(self, name: str, path: Path) -> None:
        """Upload the file, and delete it."""
        self._bucket.put(name, path, path.stat().st_size)
        path.unlink()

    def read(self, name: str) -> BinaryIO:
        """Fetch the blob into a temporary file."""
        file: Any = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        try:
            for part in self._bucket.get(name):
                file.write(part)
            file.seek(0)
        except BaseException:
            file.close()
            raise
        return file  # type: ignore[no-any-return]  # a binary file

    def find(self, name: str) -> StoredObject | None:
        """Return size and time of the object."""
        return self._bucket.find(name)

    def remove(self, name: str) -> None:
        """Delete the object."""
        self._bucket.delete(name)

    def list(self, folder: str = "") -> Iterator[StoredObject]:
        """Yield the objects."""
        return self._bucket.list(folder)


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the rest of a file in chunks."""
    return iter(lambda: file.read(_CHUNK), b"")


def _fill(file: Any, chunks: Iterable[bytes], limit: int | None) -> StoredBlob:
    size, digest = 0, hashlib.sha256()
    for chunk in chunks:
        size += len(chunk)
        if limit is not None and size > limit:
            raise TooManyBytes
        digest.update(chunk)
        file.write(chunk)
    file.flush()
    return StoredBlob(size, digest.hexdigest())


def _folders_in(folder: Path) -> list[str]:
    return [entry.name for entry in _entries(folder) if entry.is_dir()]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        # Nothing has been stored yet.
        return []


def _stored(name: str, status: os.stat_result) -> StoredObject:
    modified = datetime.fromtimestamp(status.st_mtime, UTC)
    return StoredObject(name, status.st_size, modified)
