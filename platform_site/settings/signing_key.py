"""The signing key of the installation: read for the settings, created once by the
startup sequence even if processes race, and the keys derived from it."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import os
import secrets
import tempfile
import time
from pathlib import Path
from typing import Final

from filelock import FileLock

from platform_site.settings.durable import sync_folder
from platform_site.settings.errors import StartRefusedError

FOLDER: Final = "keys"
FILE_NAME: Final = "jwt-signing.key"
SHORTEST: Final = 43  # 32 bytes in base64url
_STRAY_PREFIX: Final = ".jwt-"
_STRAY_SECONDS: Final = 60
_SECRET_KEY_LABEL: Final = b"platform: sessions and forms"


def key_file(data_folder: Path) -> Path:
    """Return the path of the key file (HOST-074)."""
    return data_folder / FOLDER / FILE_NAME


def read_signing_key(data_folder: Path) -> str | None:
    """Return the stored key, None if there is none yet.

    Raise StartRefusedError for an unreadable or too short file: a new key would sign
    everybody out without notice (OPEN-111).
    """
    path = key_file(data_folder)
    try:
        key = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StartRefusedError(
            f"The signing key {path} cannot be read ({error}). Restore it from a "
            "backup, or delete it: a new one is made, and everybody signs in again."
        ) from error
    if len(key) < SHORTEST:
        raise StartRefusedError(
            f"The signing key {path} is damaged: it has {len(key)} characters and "
            f"needs {SHORTEST}. Restore it from a backup, or delete it: a new one is "
            "made, and everybody signs in again."
        )
    return key


def ensure_signing_key(data_folder: Path) -> str:
    """Return the stored key, and create it if it doesn't exist (HOST-116..118).

    If several processes race, all return the key that the file finally contains.
    """
    existing = read_signing_key(data_folder)
    if existing is not None:
        return existing
    path = key_file(data_folder)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_strays(path.parent)
        _create(path)
    except OSError as error:
        raise StartRefusedError(
            f"The signing key {path} cannot be created ({error.strerror}). Give the "
            "application's user write access to the folder."
        ) from error
    created = read_signing_key(data_folder)
    if created is None:
        raise StartRefusedError(
            f"The signing key {path} vanished while it was being created; start again."
        )
    return created


def derive_secret_key(signing_key: str) -> str:
    """Return Django's SECRET_KEY for a signing key, so that each purpose has its own
    key."""
    digest = hmac.digest(signing_key.encode(), _SECRET_KEY_LABEL, hashlib.sha512)
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def write_new_key(folder: Path) -> Path:
    """Write a new key to a temporary file, and return its path."""
    # mkstemp creates a private file with mode 0600 at once.
    handle, name = tempfile.mkstemp(prefix=_STRAY_PREFIX, dir=folder)
    stray = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(64))
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        stray.unlink(missing_ok=True)
        raise
    return stray


def _create(path: Path) -> None:
    stray = write_new_key(path.parent)
    try:
        _publish(stray, path)
    finally:
        stray.unlink(missing_ok=True)
    sync_folder(path.parent)


def _publish(stray: Path, path: Path) -> None:
    """Rename the finished file, unless another process was first."""
    try:
        path.hardlink_to(stray)
    except FileExistsError:
        return
    except OSError:
        # On file systems without hard links a lock decides who is first.
        with FileLock(path.with_name(f"{_STRAY_PREFIX}lock")):
            if not path.exists():
                stray.replace(path)


def _remove_strays(folder: Path) -> None:
    """Delete the files of processes killed during creation, but no file still in
    use."""
    for stray in folder.glob(f"{_STRAY_PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - stray.stat().st_mtime > _STRAY_SECONDS:
                stray.unlink()
