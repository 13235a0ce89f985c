"""Reading of licence and key files, for the services and the vendor's command; each
error names its file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
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
    key: Ed25519PublicKey = _key(path, "public")
    return key


def read_private_key(path: Path) -> Ed25519PrivateKey:
    """Return the Ed25519 key of a PEM file without password, or raise FileTroubleError."""
    key: Ed25519PrivateKey = _key(path, "private")
    return key


def _key(path: Path, name: str) -> Any:
    # It takes eight megabytes, and without a licence nothing needs it.
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415

    is_public = name == "public"
    kind = ed25519.Ed25519PublicKey if is_public else ed25519.Ed25519PrivateKey
    try:
        content = _read(path)
        key: Any
        if is_public:
            key = serialization.load_pem_public_key(content)
        else:
            key = serialization.load_pem_private_key(content, password=None)
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
