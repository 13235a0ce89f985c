"""Reading of licence and key files, for the services and the vendor's command; each
error names its file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    load_pem_private_key,
    load_pem_public_key,
)

_LONGEST_FILE: Final = 65_536


class FileTroubleError(Exception):
    """A file can't be used; the message has the reason."""


def read_text(path: Path) -> str:
    """Return the text of a small regular file, without a byte order mark.

    Raise FileTroubleError; pipes and devices are refused, because reading them may
    block.
    """
    try:
        if path.exists() and not path.is_file():
            raise FileTroubleError(f"The file {path} isn't a regular file.")
        return _read(path).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def read_public_key(path: Path) -> Ed25519PublicKey:
    """Return the Ed25519 key of a PEM file, or raise FileTroubleError."""
    key: Ed25519PublicKey = _key(path, load_pem_public_key, Ed25519PublicKey, "public")
    return key


def read_private_key(path: Path) -> Ed25519PrivateKey:
    """Return the Ed25519 key of a PEM file without password, or raise FileTroubleError."""
    load = partial(load_pem_private_key, password=None)
    key: Ed25519PrivateKey = _key(path, load, Ed25519PrivateKey, "private")
    return key


def _key(path: Path, load: Callable[[bytes], object], kind: Any, name: str) -> Any:
    try:
        key = load(_read(path))
    except OSError as error:
        raise _unreadable(path, error) from None
    except TypeError:
        raise FileTroubleError(
            f"The key in {path} is locked with a password; unlock a copy first."
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, kind):
        raise FileTroubleError(
            f"The file {path} contains no {name} Ed25519 key in PEM form."
        )
    return key


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(_LONGEST_FILE + 1)
    if len(content) > _LONGEST_FILE:
        raise FileTroubleError(
            f"The file {path} is larger than {_LONGEST_FILE:,} bytes."
        )
    return content


def _unreadable(path: Path, error: Exception) -> FileTroubleError:
    if isinstance(error, UnicodeDecodeError):
        return FileTroubleError(f"The file {path} is not UTF-8 text.")
    reason = getattr(error, "strerror", None) or str(error)
    return FileTroubleError(f"The file {path} cannot be read: {reason}.")
