"""Signatures of the Standard Webhooks specification: receivers find out by them who sent
a message, and that nobody changed it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import Final

PREFIX: Final = "whsec_"
_BYTES: Final = 32


def new_secret() -> str:
    """Return a secret as receivers' libraries expect it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def signed_headers(
    secret: str, *, key: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """Return the headers of a message: its id, its time in seconds, its signature."""
    content = b".".join((key.encode(), str(timestamp).encode(), body))
    digest = hmac.digest(
        base64.b64decode(secret.removeprefix(PREFIX)), content, hashlib.sha256
    )
    return {
        "webhook-id": key,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }
