"""What all nodes of an installation must have in common: the keys, and the folder or
bucket of attachments. A node that differs is refused at its start.

Each node holds a lock whose number is a digest of what it has, so the others see it as
long as the node lives, and nothing is left of a dead one.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from importer.services import ProcessLock, database_lock, held_numbers
from platform_site.files.stores import MARK
from platform_site.settings import data_folder as folders
from platform_site.settings.configuration import Configuration
from platform_site.settings.durable import sync_file
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.attachments import mark_in_bucket, place_of

# The keys of the locks.
_KEYS: Final = 0x4B455953
_BLOBS: Final = 0x424C4F42
_POSITIVE: Final = 0x7FFFFFFF


@contextmanager
def shared_by_nodes(configuration: Configuration) -> Iterator[list[ProcessLock]]:
    """Hold the locks of what this node shares, and yield them; raise StartRefusedError
    if another node has something else. An only server has no such locks."""
    if not configuration.has_nodes:
        yield []
        return
    keys = f"{configuration.token_key()}\0{configuration.secret_key}"
    with ExitStack() as held:
        yield [
            held.enter_context(
                _same(
                    _KEYS,
                    keys,
                    "This node has another signing key than the running ones, so each "
                    "would refuse the sign-ins of the others. Set JwtOptions:Secret, "
                    "and Platform:SecretKey if it is used, to the same text on all "
                    "nodes.",
                )
            ),
            held.enter_context(
                _same(
                    _BLOBS,
                    _mark_of(configuration),
                    "This node stores attachments and uploads in another place than the "
                    f"running ones: {place_of(configuration)}. Set BlobStorage:S3 to the "
                    "same bucket and prefix on all nodes, or "
                    "BlobStorage:LocalDiskRootPath to a folder that they share, such as "
                    "a network folder.",
                )
            ),
        ]


@contextmanager
def _same(key: int, value: str, refusal: str) -> Iterator[ProcessLock]:
    number = _digest(value)
    if held_numbers(key) - {number}:
        raise StartRefusedError(refusal)
    with database_lock(key, shared=True, number=number) as lock:
        lock.take()
        yield lock


def _digest(text: str) -> int:
    """Return 31 bits by which texts differ, and from which nobody learns a text."""
    digest = hashlib.sha256(f"platform: shared by nodes\0{text}".encode()).digest()
    return int.from_bytes(digest[:4], "big") & _POSITIVE


def _mark_of(configuration: Configuration) -> str:
    """Return the text that tells a place from others, which is written once."""
    if configuration.blobs_bucket is not None:
        return mark_in_bucket(configuration, secrets.token_hex(16))
    folder = configuration.blobs_folder
    folders.prepare(folder)
    path = folder / MARK
    fresh = folder / f"{MARK}.{secrets.token_hex(8)}"
    try:
        if not path.exists():
            fresh.write_text(secrets.token_hex(16), encoding="ascii")
            sync_file(fresh)
            # Two first starts have taken turns.
            fresh.replace(path)
        return path.read_text(encoding="ascii")
    except OSError as error:
        raise StartRefusedError(
            f"The folder of attachments {folder} cannot be used: "
            f"{error.strerror or error}. Check BlobStorage:LocalDiskRootPath."
        ) from error
