"""The rotation of the signing key: the old key stays beside the new one for as long as
anything that it has signed can be valid."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from platform_site.settings.durable import sync_folder
from platform_site.settings.effective import EffectiveSettings
from platform_site.settings.errors import StartRefusedError
from platform_site.settings.signing_key import (
    FILE_NAME,
    FOLDER,
    SHORTEST,
    key_file,
    read_signing_key,
    write_new_key,
)

_MOMENT: Final = "%Y%m%dT%H%M%SZ"
_OLD: Final = re.compile(r"jwt-signing-(\d{8}T\d{6}Z)\.key", re.ASCII)


@dataclass(frozen=True, slots=True)
class OldKey:
    """A key that was replaced, and when."""

    path: Path
    replaced_at: datetime


def longest_lifetime(settings: EffectiveSettings) -> timedelta:
    """Return how long something that a key has signed can be valid."""
    return max(
        settings.duration(key)
        for key in (
            "JwtOptions:Expires",
            "JwtOptions:RefreshExpiresToken",
            "Platform:Sessions:Lifetime",
        )
    )


def previous_keys(
    data_folder: Path, lifetime: timedelta, now: datetime
) -> tuple[str, ...]:
    """Return the replaced keys that still count, the newest first.

    One that is in the future because the clock was set back counts too.
    """
    found = []
    for old in reversed(counting_keys(data_folder, lifetime, now)):
        try:
            key = old.path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise StartRefusedError(
                f"The earlier signing key {old.path} cannot be read ({error}). Make "
                "it readable, or delete it: what it signed is then no longer valid."
            ) from error
        if len(key) >= SHORTEST:
            found.append(key)
    return tuple(found)


def counting_keys(
    data_folder: Path, lifetime: timedelta, now: datetime
) -> list[OldKey]:
    """Return the replaced keys of which something can still be valid, the oldest
    first."""
    keys = old_keys(data_folder)
    return [old for old in keys if now - old.replaced_at < lifetime]


def old_keys(data_folder: Path) -> list[OldKey]:
    """Return the replaced keys, the oldest first."""
    folder = data_folder / FOLDER
    if not folder.is_dir():
        return []
    found = []
    for path in sorted(folder.iterdir()):
        if named := _OLD.fullmatch(path.name):
            moment = datetime.strptime(named[1], _MOMENT).replace(tzinfo=UTC)
            found.append(OldKey(path, moment))
    return found


def forget_expired_keys(
    data_folder: Path, lifetime: timedelta, now: datetime
) -> list[OldKey]:
    """Delete and return the keys with which nothing valid can be signed."""
    expired = [o for o in old_keys(data_folder) if now - o.replaced_at >= lifetime]
    for old in expired:
        old.path.unlink(missing_ok=True)
    return expired


def rotate(data_folder: Path, now: datetime, *, keep_old: bool = True) -> None:
    """Replace the key by a new one; without `keep_old` all earlier keys are deleted.

    Raise StartRefusedError with a sentence. After a crash at any moment there is a whole
    key, and the old one is kept.
    """
    path = key_file(data_folder)
    if read_signing_key(data_folder) is None:
        raise StartRefusedError(
            f"There is no signing key {path} yet; the first start creates it."
        )
    try:
        if keep_old:
            _keep(path, path.with_name(f"{Path(FILE_NAME).stem}-{now:{_MOMENT}}.key"))
        stray = write_new_key(path.parent)
        stray.replace(path)
        if not keep_old:
            for old in old_keys(data_folder):
                old.path.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise StartRefusedError(
            f"The signing key {path} cannot be replaced ({error.strerror}). Give the "
            "application's user write access to the folder."
        ) from error


def _keep(path: Path, old: Path) -> None:
    if old.exists():
        raise StartRefusedError(
            "The key was already replaced in this second; run the command again."
        )
    try:
        old.hardlink_to(path)
    except OSError:  # a file system without hard links
        shutil.copyfile(path, old)
        old.chmod(0o600)
        with old.open("rb") as copied:
            os.fsync(copied.fileno())
    sync_folder(old.parent)
