"""The copying of all blobs from the folder to the bucket or back. It can be repeated: what
is there with the right hash isn't copied again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final

from platform_site.files import blobs
from platform_site.files.models import StoredFile
from platform_site.files.stores import UNFINISHED, BlobStore, chunks_of

_AT_A_TIME: Final = 500


@dataclass(slots=True)
class Moved:
    """How many blobs were copied, were there already, or couldn't be copied."""

    copied: int = 0
    present: int = 0
    missing: int = 0
    damaged: int = 0
    deleted: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A blob to copy: its name, its title for people, and its SHA-256 if a row has it."""

    name: str
    title: str
    sha256: str = ""


def move_files(
    source: BlobStore,
    target: BlobStore,
    *,
    delete: bool = False,
    tell: Callable[[str], None] = lambda _line: None,
) -> Moved:
    """Copy the blobs of all rows, and uploaded packages; raise OSError if a place fails.

    A copy is read again and compared with the hash in the row; only then the blob is
    deleted in the source, if that is asked for. Blobs without a row stay, since nobody
    knows their hash.
    """
    moved = Moved()
    for wanted in _wanted(source):
        with _opened(source, wanted.name) as given:
            if given is None:
                # An earlier call may have moved it.
                _count_absent(moved, wanted, target, tell)
                continue
            digest = _hash(given)
            if wanted.sha256 not in ("", digest):
                moved.damaged += 1
                tell(f"damaged    {wanted.title}  it differs from what was uploaded")
                continue
            _copy(moved, target, wanted.name, given, digest)
        if delete:
            source.remove(wanted.name)
            moved.deleted += 1
    moved.unknown = _count_unknown(source)
    return moved


def _wanted(source: BlobStore) -> Iterator[_Wanted]:
    rows = StoredFile.objects.order_by("pk").values_list("pk", "name", "sha256")
    for key, file_name, digest in rows.iterator(chunk_size=_AT_A_TIME):
        yield _Wanted(blobs.name_of(key), f"{key}  {file_name}", digest)
    for one in list(source.list(blobs.PACKAGES)):
        if not one.name.endswith(UNFINISHED):
            yield _Wanted(one.name, one.name)


@contextmanager
def _opened(store: BlobStore, name: str) -> Iterator[BinaryIO | None]:
    """Open a blob inside the block; yield None if it doesn't exist."""
    try:
        file = store.read(name)
    except FileNotFoundError:
        yield None
        return
    with file:
        yield file


def _hash(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    for chunk in chunks_of(file):
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def _count_absent(
    moved: Moved, wanted: _Wanted, target: BlobStore, tell: Callable[[str], None]
) -> None:
    if _has(target, wanted.name, wanted.sha256):
        moved.present += 1
    elif wanted.sha256:
        moved.missing += 1
        tell(f"missing    {wanted.title}  its bytes are in neither place")


def _copy(
    moved: Moved, target: BlobStore, name: str, given: BinaryIO, digest: str
) -> None:
    if _has(target, name, digest):
        moved.present += 1
        return
    target.write(name, chunks_of(given))
    if not _has(target, name, digest):
        raise OSError(f"{target.place} returns other bytes of {name} than were written")
    moved.copied += 1


def _has(store: BlobStore, name: str, digest: str) -> bool:
    with _opened(store, name) as file:
        return file is not None and _hash(file) == digest


def _count_unknown(source: BlobStore) -> int:
    """Count the blobs that no row knows."""
    known = set(StoredFile.objects.values_list("pk", flat=True))
    keys = map(blobs.key_of, (one.name for one in source.list()))
    return sum(1 for key in keys if key is not None and key not in known)
