"""The keys of age: recipients (`age1…`) that files are encrypted for, and identities
(`AGE-SECRET-KEY-1…`) that open them, in their Bech32 form (BIP 173)."""

from __future__ import annotations

from typing import Final

RECIPIENT: Final = "age"
IDENTITY: Final = "age-secret-key-"
_ALPHABET: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR: Final = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_CHECKSUM: Final = 6


def recipient_bytes(text: str) -> bytes:
    """Return the public key of a recipient; raise ValueError for any other text."""
    return _read(RECIPIENT, text)


def identity_bytes(text: str) -> bytes:
    """Return the private key of an identity; raise ValueError for any other text."""
    return _read(IDENTITY, text)


def recipient_text(key: bytes) -> str:
    """Return a public key as text."""
    return _written(RECIPIENT, key)


def identity_text(key: bytes) -> str:
    """Return a private key as text."""
    return _written(IDENTITY, key).upper()


def _read(prefix: str, text: str) -> bytes:
    folded = text.strip().lower()
    if text.strip() not in (folded, folded.upper()):
        raise ValueError("mixes upper and lower case")
    begin, _, data = folded.rpartition("1")
    if begin != prefix or any(letter not in _ALPHABET for letter in data):
        raise ValueError(f"doesn't begin with {prefix}1, or isn't complete")
    values = [_ALPHABET.index(letter) for letter in data]
    if _checksum(_expanded(prefix) + values) != 1:
        raise ValueError("has a typing error")
    key = _regrouped(values[:-_CHECKSUM], 5, 8)
    if len(key) != 32:
        raise ValueError("isn't complete")
    return bytes(key)


def _written(prefix: str, key: bytes) -> str:
    values = _regrouped([*key], 8, 5, padded=True)
    rest = _checksum([*_expanded(prefix), *values, *([0] * _CHECKSUM)]) ^ 1
    values += [(rest >> 5 * (_CHECKSUM - 1 - n)) & 31 for n in range(_CHECKSUM)]
    return f"{prefix}1{''.join(_ALPHABET[value] for value in values)}"


def _regrouped(
    values: list[int], width: int, wanted: int, *, padded: bool = False
) -> list[int]:
    """Return the same bits in groups of another width."""
    bits = "".join(f"{value:0{width}b}" for value in values)
    if padded:
        bits += "0" * (-len(bits) % wanted)
    usable = len(bits) - len(bits) % wanted
    return [int(bits[n : n + wanted], 2) for n in range(0, usable, wanted)]


def _expanded(prefix: str) -> list[int]:
    letters = [ord(letter) for letter in prefix]
    return [*(one >> 5 for one in letters), 0, *(one & 31 for one in letters)]


def _checksum(values: list[int]) -> int:
    rest = 1
    for value in values:
        top = rest >> 25
        rest = (rest & 0x1FFFFFF) << 5 ^ value
        for bit, part in enumerate(_GENERATOR):
            rest ^= part if top >> bit & 1 else 0
    return rest
