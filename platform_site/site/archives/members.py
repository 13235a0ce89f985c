"""The members of an archive after its database: the files that the database refers to,
the key, the licence, the settings, and the manifest."""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

import msgspec

from platform_site import __version__
from platform_site.files import blobs
from platform_site.settings.configuration import Configuration
from platform_site.settings.connections import Provider
from platform_site.settings.env import BUILT_IN
from platform_site.settings.key_rotation import counting_keys, longest_lifetime
from platform_site.settings.signing_key import key_file
from platform_site.site.archives import manifest as names
from platform_site.site.archives.database_content import (
    apps_of,
    counts_of,
    files_of,
    migrations_of,
)
from platform_site.site.archives.database_copy import DatabaseCopy
from platform_site.site.archives.manifest import FORMAT, Manifest
from platform_site.site.archives.writing import ArchiveWriter
from platform_site.site.host.archive_folder import now_text

_MOST_NAMED: Final = 1000
_CONNECTIONS: Final = "ConnectionStrings:"
_FIRST_PASSWORD: Final = "Platform:Seed:AdminPassword"
_KEY: Final = re.compile("[0-9a-f]{32}")
logger = logging.getLogger("platform.backups")


@dataclass(slots=True)
class ArchivedFiles:
    """The uploaded files of an archive: stored, missing and damaged ones."""

    stored: int = 0
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    missing_count: int = 0
    damaged_count: int = 0


def add_blobs(writer: ArchiveWriter, copy: DatabaseCopy) -> ArchivedFiles:
    """Add the files that the copy of the database refers to, and kept packages."""
    found = ArchivedFiles()
    for key, digest in files_of(copy.connection):
        name = f"{names.BLOBS}{blobs.name_of(key)}"
        try:
            added = _added(writer, name, blobs.name_of(key))
        except FileNotFoundError:
            # Deleted since the database was copied, or lost before.
            found.missing_count += 1
            found.missing = [*found.missing, str(key)][:_MOST_NAMED]
            continue
        found.stored += 1
        if added != digest:
            found.damaged_count += 1
            found.damaged = [*found.damaged, str(key)][:_MOST_NAMED]
    if found.missing_count:
        logger.warning(
            "%d uploaded files have no bytes and are missing in the archive, first %s.",
            found.missing_count,
            found.missing[0],
        )
    # Uploaded packages, which are kept for a while.
    for stored in sorted(one.name for one in blobs.store().list(blobs.PACKAGES)):
        name = stored.rpartition("/")[2]
        if _KEY.fullmatch(name):
            with suppress(FileNotFoundError):
                _added(writer, f"{names.BLOBS}{names.PACKAGES}{name}", stored)
    return found


def _added(writer: ArchiveWriter, member: str, stored: str) -> str:
    """Add a blob by its name in the store; return its SHA-256."""
    with blobs.store().read(stored) as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        return writer.add(member, stream, size)


def add_rest(configuration: Configuration, writer: ArchiveWriter) -> None:
    """Add the keys, the licence file and the settings without secrets.

    Earlier keys are among them, so that a restore signs out nobody.
    """
    key = key_file(configuration.data_folder)
    if key.is_file():
        writer.add_file(names.KEY, key)
    lifetime = longest_lifetime(configuration.settings)
    now = datetime.now(UTC)
    for old in counting_keys(configuration.data_folder, lifetime, now):
        writer.add_file(f"{names.KEYS}{old.path.name}", old.path)
    licence = configuration.settings.text("Licensing:LicenseFilePath")
    if licence and (configuration.data_folder / licence).is_file():
        writer.add_file(names.LICENCE, configuration.data_folder / licence)
    rows = {
        one.key: {"value": one.shown, "source": one.source}
        for one in configuration.settings.all_effective()
        if not one.secret
    }
    text = msgspec.json.format(msgspec.json.encode(rows), indent=1)
    writer.add_bytes(names.SETTINGS, text + b"\n")


def manifest_for(
    configuration: Configuration,
    copy: DatabaseCopy,
    files: ArchivedFiles,
    writer: ArchiveWriter,
    checksums: str,
) -> Manifest:
    """Return the manifest of an archive whose members are written."""
    return Manifest(
        format=FORMAT,
        version=__version__,
        provider=configuration.connection.provider.value,
        server=copy.server,
        taken=now_text(),
        migrations=migrations_of(copy.connection),
        apps=apps_of(copy.connection),
        counts=counts_of(copy.connection),
        blobs=files.stored,
        missing=files.missing_count,
        missing_files=files.missing,
        damaged=files.damaged_count,
        damaged_files=files.damaged,
        members=writer.members,
        bytes=writer.bytes,
        checksums=checksums,
        secrets=_secrets_of(configuration),
    )


def _secrets_of(configuration: Configuration) -> list[str]:
    """Return the secrets that were set, and that a restored installation needs."""
    return [
        one.key
        for one in configuration.settings.all_effective()
        if one.secret
        and one.shown
        and one.source != BUILT_IN
        and _is_needed(one.key, configuration.connection.provider)
    ]


def _is_needed(key: str, provider: Provider) -> bool:
    """Return whether a secret matters after a restore."""
    if key.startswith(_CONNECTIONS):
        # That of a SQLite file names a path, which each machine has its own of.
        used = f"{_CONNECTIONS}{provider.value}"
        return provider is not Provider.SQLITE and key == used
    # The accounts in the archive have their passwords.
    return key != _FIRST_PASSWORD
