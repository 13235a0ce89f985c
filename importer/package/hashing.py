"""The hash of an object of a package, in one canonical form (OPEN-25).

Keys are sorted by code point, without white space; non-ASCII characters are not
escaped, and numbers are the ``str`` of the integer or decimal. Tokens and references
are hashed unresolved.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

DIGEST_SIZE = 32
# In the mark of a row that a run deleted because the file no longer had its object: no
# object has this hash.
MISSING_HASH = "0" * 2 * DIGEST_SIZE
canonical = msgspec.json.Encoder(order="deterministic", decimal_format="number").encode


def digest_of(written: bytes) -> bytes:
    """Return the 32 bytes of SHA-256 of an object in canonical form."""
    return sha256(written).digest()


def source_digest(item: dict[str, Any]) -> bytes:
    """Return the 32 bytes of SHA-256; raise UnicodeEncodeError for a lone surrogate."""
    return sha256(canonical(item)).digest()


def source_hash(item: dict[str, Any]) -> str:
    """Return the 64 lower-case hex characters a mark stores (IMP-117)."""
    return source_digest(item).hex()
