"""The place of attachments as the start needs it: a bucket that can't be used refuses the
start, as a folder that can't be written does."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from platform_site.files.bucket import LibraryMissing
from platform_site.files.stores import MARK, BlobStore, open_store
from platform_site.settings.configuration import Configuration
from platform_site.settings.errors import StartRefusedError

_PROBE: Final = ".probe-"


def store_of(configuration: Configuration) -> BlobStore:
    """Return the place of blobs, for code that runs before Django's settings."""
    return open_store(configuration.blobs_folder, configuration.blobs_bucket)


def place_of(configuration: Configuration) -> str:
    """Return the folder or the bucket for people."""
    bucket = configuration.blobs_bucket
    return str(configuration.blobs_folder) if bucket is None else bucket.name


def has_blobs(configuration: Configuration) -> bool:
    """Return whether anything is stored, but for the mark of several nodes."""
    if configuration.blobs_bucket is None:
        files = configuration.blobs_folder.rglob("*")
        return any(path.is_file() and path.name[0] != "." for path in files)
    with _refusing(configuration):
        return any(one.name[0] != "." for one in store_of(configuration).list())


def check_bucket(configuration: Configuration) -> None:
    """Raise StartRefusedError unless objects can be written, read, listed and deleted
    in the bucket, if there is one."""
    if configuration.blobs_bucket is None:
        return
    name, probe = f"{_PROBE}{secrets.token_hex(8)}", b"probe"
    with _refusing(configuration):
        store = store_of(configuration)
        store.write(name, [probe])
        try:
            with store.read(name) as file:
                is_same = file.read() == probe
            next(store.list(), None)
        finally:
            store.remove(name)
    if not is_same:
        raise _refusal(configuration, "It returns other bytes than were written.")


def require_readable(configuration: Configuration) -> None:
    """Raise StartRefusedError if the bucket can't be read; nothing is changed."""
    with _refusing(configuration):
        next(store_of(configuration).list(), None)


def mark_in_bucket(configuration: Configuration, fresh: str) -> str:
    """Return the text that tells the bucket and its prefix from others: the one that is
    there, else `fresh`. First starts take turns."""
    with _refusing(configuration):
        store = store_of(configuration)
        try:
            with store.read(MARK) as file:
                return file.read().decode("ascii", errors="replace")
        except FileNotFoundError:
            store.write(MARK, [fresh.encode("ascii")])
            return fresh


@contextmanager
def _refusing(configuration: Configuration) -> Iterator[None]:
    try:
        yield
    except LibraryMissing as error:
        raise StartRefusedError(str(error)) from error
    except OSError as error:
        raise _refusal(configuration, str(error)) from error


def _refusal(configuration: Configuration, reason: str) -> StartRefusedError:
    source = configuration.settings.source("BlobStorage:S3:Bucket")
    return StartRefusedError(
        f"The bucket of attachments {place_of(configuration)} cannot be used. {reason} "
        f"Check the settings BlobStorage:S3 ({source}), and that the service can be "
        "reached and its key may write, read, list and delete."
    )
