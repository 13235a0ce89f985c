"""The manifest of an archive: where it comes from, and what must be in it."""

from __future__ import annotations

from typing import Final

import msgspec

from platform_site.site.archives.errors import ArchiveError, DamagedArchive

FORMAT: Final = "platform-archive/1"
# The members, in this order; the files of the installation follow the database.
SQLITE: Final = "database/platform.db"
POSTGRES: Final = "database/platform.dump"
BLOBS: Final = "blobs/"
PACKAGES: Final = "packages/"
KEYS: Final = "keys/"
KEY: Final = f"{KEYS}jwt-signing.key"
LICENCE: Final = "licence"
SETTINGS: Final = "settings.json"
CHECKSUMS: Final = "checksums.sha256"
MANIFEST: Final = "manifest.json"
SEAL: Final = "manifest.sha256"


class Manifest(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What an archive says of itself."""

    format: str
    version: str
    provider: str
    # The version of the database server, empty for SQLite.
    server: str = ""
    taken: str
    migrations: list[tuple[str, str]]
    apps: list[str]
    # The rows of each table in the copy of the database.
    counts: dict[str, int]
    blobs: int
    # Files of the database that had no bytes, up to a number.
    missing: int = 0
    missing_files: list[str] = []
    # Files whose bytes differ from those that were uploaded.
    damaged: int = 0
    damaged_files: list[str] = []
    members: int
    bytes: int
    # The SHA-256 of the list of checksums.
    checksums: str
    # Settings that were set, aren't in the archive, and are needed after a restore.
    secrets: list[str] = []


def manifest_of(content: bytes) -> Manifest:
    """Return the manifest in these bytes; raise ArchiveError for any others."""
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedArchive(f"Its manifest is wrong: {error}") from None
    if manifest.format != FORMAT:
        raise ArchiveError(
            f"The archive has the format '{manifest.format}', which this version doesn't "
            f"know; it reads {FORMAT}. Restore it with a newer version."
        )
    return manifest


def bytes_of(manifest: Manifest) -> bytes:
    """Return the manifest as the text of its member."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
