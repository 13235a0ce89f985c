"""A bucket of a service that speaks S3, for attachments and copies of backups. The library
is imported when a bucket is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final

from platform_site.settings.s3_place import S3Place, StorageUnavailable

# The least that the protocol allows, since each part has to pass within a time limit.
PART_BYTES: Final = 5 << 20
_AT_ONCE: Final = 2
# It allows 10,000.
_MOST_PARTS: Final = 9_000
_LONGEST_REASON: Final = 500
# What follows repeats the reason as a structure of the library.
_FOR_DEVELOPERS: Final = "Debug source:"


class LibraryMissing(StorageUnavailable):
    """The failure of an installation without the library for buckets."""

    def __init__(self, group: str) -> None:
        super().__init__(
            f"The library obstore is missing, which {group} needs; install it (pip "
            "install obstore) as the page on backups says."
        )


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a bucket is waited for: for one request, of one part at most, and for
    how long a failed one is repeated."""

    connect_seconds: float
    request_seconds: float
    retry_seconds: float


# A thread of the server waits: for half a minute, and a whole one at worst.
OF_REQUESTS: Final = Patience(5, 30, 20)
# Nobody waits.
OF_BACKUPS: Final = Patience(30, 300, 180)


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object of a bucket, or a file of a folder; its name has slashes."""

    name: str
    size: int
    modified: datetime


class Bucket:
    """An open bucket. Its methods raise StorageUnavailable with a sentence, and
    FileNotFoundError for an object that doesn't exist."""

    def __init__(self, place: S3Place, library: Any, store: Any) -> None:
        self._name = place.bucket
        self._library = library
        self._store = store

    def put(self, name: str, source: BinaryIO | Path, size: int) -> None:
        """Store an object in parts, which appears when it is complete, and compare the
        size that the service reports."""
        with self._telling():
            self._library.put(
                self._store,
                name,
                source,
                use_multipart=size > PART_BYTES,
                chunk_size=max(PART_BYTES, size // _MOST_PARTS),
                max_concurrency=_AT_ONCE,
            )
            found = self._library.head(self._store, name)["size"]
        if found != size:
            raise StorageUnavailable(
                f"The bucket {self._name} has {found} bytes instead of {size}."
            )

    def get(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of an object in parts, each with a time limit of its own."""
        with self._telling(name):
            found = self._library.get(self._store, name)
            size = found.meta["size"]
            first = bytes(found.bytes()) if size <= PART_BYTES else b""
        yield first
        begin = len(first)
        while begin < size:
            end = min(begin + PART_BYTES, size)
            with self._telling(name):
                part = bytes(
                    self._library.get_range(self._store, name, start=begin, end=end)
                )
            if len(part) != end - begin:
                raise StorageUnavailable(
                    f"The bucket {self._name} sent {name} only in part."
                )
            yield part
            begin = end

    def find(self, name: str) -> StoredObject | None:
        """Return what is known of an object, None if there is none."""
        try:
            with self._telling(name):
                return _described(self._library.head(self._store, name))
        except FileNotFoundError:
            return None

    def delete(self, name: str) -> None:
        """Delete an object if it exists."""
        try:
            with self._telling(name):
                self._library.delete(self._store, name)
        except FileNotFoundError:
            return

    def list(self, folder: str = "") -> Iterator[StoredObject]:
        """Yield the objects in a folder and below it, page by page."""
        with self._telling():
            pages = iter(self._library.list(self._store, folder or None))
        while True:
            with self._telling():
                page = next(pages, None)
            if page is None:
                return
            yield from map(_described, page)

    @contextmanager
    def _telling(self, name: str = "") -> Iterator[None]:
        """Convert what the library raises; a missing object only where one is named,
        otherwise the bucket itself is missing."""
        try:
            yield
        except FileNotFoundError as error:
            if name:
                raise FileNotFoundError(
                    error.errno, f"There is no {name} in the bucket {self._name}"
                ) from None
            raise StorageUnavailable(_sentence(self._name, error)) from error
        except Exception as error:
            # The exceptions of the library have no base that is only theirs.
            raise StorageUnavailable(_sentence(self._name, error)) from error


@lru_cache(maxsize=4)
def open_bucket(place: S3Place, patience: Patience = OF_REQUESTS) -> Bucket:
    """Return a bucket with its pool of connections; nothing is sent yet.

    Raise LibraryMissing, or StorageUnavailable if the library refuses the settings.
    """
    try:
        library: Any = import_module("obstore")
        stores: Any = import_module("obstore.store")
    except ImportError:
        raise LibraryMissing(place.group) from None
    given = {
        "endpoint": place.endpoint,
        "region": place.region,
        "prefix": place.prefix,
        "access_key_id": place.access_key,
        "secret_access_key": place.secret_key,
    }
    try:
        store = stores.S3Store(
            place.bucket,
            # Not every service has it.
            disable_bulk_delete=True,
            client_options={
                "allow_http": place.endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=patience.connect_seconds),
                "timeout": timedelta(seconds=patience.request_seconds),
            },
            retry_config={
                "max_retries": 10,
                "retry_timeout": timedelta(seconds=patience.retry_seconds),
            },
            **{name: value for name, value in given.items() if value},
        )
    except Exception as error:
        raise StorageUnavailable(_sentence(place.bucket, error)) from error
    return Bucket(place, library, store)


def _sentence(bucket: str, error: Exception) -> str:
    text = " ".join(str(error).partition(_FOR_DEVELOPERS)[0].split())
    text = text[:_LONGEST_REASON].rstrip(".") or type(error).__name__
    return f"The bucket {bucket}: {text}."


def _described(found: Any) -> StoredObject:
    return StoredObject(found["path"], found["size"], found["last_modified"])
