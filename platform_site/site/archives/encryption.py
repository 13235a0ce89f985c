"""Encryption of archives in the format of age (age-encryption.org/v1), which the tool
`age` opens as well, with the primitives of `cryptography`, in constant memory."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Sequence
from typing import BinaryIO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric.x25519 import (
    X25519PrivateKey,
    X25519PublicKey,
)
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from platform_site.site.archives.age_keys import (
    identity_bytes,
    identity_text,
    recipient_bytes,
    recipient_text,
)
from platform_site.site.archives.errors import DamagedArchive, WrongKey
from platform_site.site.archives.keys import Keys

MAGIC: Final = b"age-encryption.org/v1\n"
_CHUNK: Final = 64 << 10
_TAG: Final = 16
_SCRYPT: Final = b"age-encryption.org/v1/scrypt"
_X25519: Final = b"age-encryption.org/v1/X25519"
# 64 MiB for a moment; the tool age itself takes 256.
_WORK: Final = 16
_MOST_WORK: Final = 18
_LONGEST_LINE: Final = 1024
# The text of a stanza goes on after such a line.
_FULL_LINE: Final = 64
_MOST_STANZAS: Final = 50
_NO_NONCE: Final = bytes(12)


class EncryptingWriter(io.RawIOBase):
    """A stream that encrypts what is written to it into another one."""

    def __init__(self, target: BinaryIO, keys: Keys) -> None:
        file_key = os.urandom(16)
        if keys.recipients:
            stanzas = [_for_recipient(file_key, one) for one in keys.recipients]
        else:
            stanzas = [_for_passphrase(file_key, keys.passphrase)]
        header = MAGIC + b"".join(stanzas) + b"---"
        nonce = os.urandom(16)
        self._target = target
        self._target.write(header + b" " + _text(_mac(file_key, header)) + b"\n")
        self._target.write(nonce)
        self._cipher = _Chunks(file_key, nonce)
        self._waiting = bytearray()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Encrypt each complete chunk; the last one waits, since it is marked."""
        self._waiting += data
        while len(self._waiting) > _CHUNK:
            chunk = bytes(self._waiting[:_CHUNK])
            del self._waiting[:_CHUNK]
            self._target.write(self._cipher.encrypt(chunk, is_last=False))
        return len(data)

    def close(self) -> None:
        """Write the last chunk; the target stays open."""
        if not self.closed:
            last = bytes(self._waiting)
            self._target.write(self._cipher.encrypt(last, is_last=True))
        super().close()


class DecryptingReader(io.RawIOBase):
    """A stream with the content of an encrypted one.

    Raise WrongKey if the keys don't open it, DamagedArchive for a changed byte.
    """

    def __init__(self, source: BinaryIO, keys: Keys) -> None:
        self._source = source
        if source.read(len(MAGIC)) != MAGIC:
            raise DamagedArchive("It isn't an age file.")
        self._cipher = _Chunks(_file_key(source, keys), source.read(16))
        self._ready = memoryview(b"")
        self._next = source.read(_CHUNK + _TAG)
        self._is_complete = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer with decrypted bytes."""
        if not self._ready and not self._is_complete:
            self._ready = memoryview(self._decrypted())
        target = memoryview(buffer)  # type: ignore[arg-type]
        count = min(len(target), len(self._ready))
        target[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _decrypted(self) -> bytes:
        chunk, self._next = self._next, self._source.read(_CHUNK + _TAG)
        self._is_complete = not self._next
        try:
            return self._cipher.decrypt(chunk, is_last=self._is_complete)
        except InvalidTag:
            raise DamagedArchive(
                "Its encrypted content was changed or cut off."
            ) from None


class _Chunks:
    """The cipher of the chunks, each with its number, the last one marked."""

    def __init__(self, file_key: bytes, nonce: bytes) -> None:
        self._cipher = ChaCha20Poly1305(_derived(file_key, nonce, b"payload"))
        self._number = 0

    def encrypt(self, chunk: bytes, *, is_last: bool) -> bytes:
        """Return the next encrypted chunk."""
        return self._cipher.encrypt(self._nonce(is_last=is_last), chunk, None)

    def decrypt(self, chunk: bytes, *, is_last: bool) -> bytes:
        """Return the next chunk; raise InvalidTag if it was changed."""
        return self._cipher.decrypt(self._nonce(is_last=is_last), chunk, None)

    def _nonce(self, *, is_last: bool) -> bytes:
        number, self._number = self._number, self._number + 1
        return number.to_bytes(11, "big") + bytes([is_last])


def new_identity() -> tuple[str, str]:
    """Return a new identity and its recipient, as text."""
    key = X25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    return identity_text(key.private_bytes_raw()), recipient_text(public)


def is_encrypted(begin: bytes) -> bool:
    """Return whether a file with these first bytes is encrypted by age."""
    return begin.startswith(MAGIC)


def _for_recipient(file_key: bytes, recipient: str) -> bytes:
    public = X25519PublicKey.from_public_bytes(recipient_bytes(recipient))
    ours = X25519PrivateKey.generate()
    share = ours.public_key().public_bytes_raw()
    wrap = _wrapping_key(ours, public, share, public.public_bytes_raw())
    body = ChaCha20Poly1305(wrap).encrypt(_NO_NONCE, file_key, None)
    return b"-> X25519 " + _text(share) + b"\n" + _text(body) + b"\n"


def _for_passphrase(file_key: bytes, passphrase: str) -> bytes:
    salt = os.urandom(16)
    body = ChaCha20Poly1305(_stretched(passphrase, salt, _WORK)).encrypt(
        _NO_NONCE, file_key, None
    )
    return b"-> scrypt %b %d\n%b\n" % (_text(salt), _WORK, _text(body))


def _file_key(source: BinaryIO, keys: Keys) -> bytes:
    """Read the rest of the header, and return the key that it wraps for us."""
    header = MAGIC
    stanzas: list[tuple[list[bytes], bytes]] = []
    while not (line := source.readline(_LONGEST_LINE)).startswith(b"---"):
        if not line.startswith(b"-> ") or len(stanzas) == _MOST_STANZAS:
            raise DamagedArchive("Its first lines are wrong.")
        body = source.readline(_LONGEST_LINE)
        while len(body) % (_FULL_LINE + 1) == 0 and len(body) < _LONGEST_LINE and body:
            body += source.readline(_LONGEST_LINE)
        stanzas.append((line[3:].split(), body.replace(b"\n", b"")))
        header += line + body
    file_key = next(filter(None, (_opened(*one, keys) for one in stanzas)), None)
    if file_key is None:
        raise WrongKey(_why_not_opened([words[0] for words, _ in stanzas], keys))
    if line != b"--- " + _text(_mac(file_key, header + b"---")) + b"\n":
        raise DamagedArchive("Its first lines were changed.")
    return file_key


def _opened(words: Sequence[bytes], body: bytes, keys: Keys) -> bytes | None:
    """Return the key in one stanza, None if our keys don't open it."""
    try:
        if words[0] == b"scrypt" and keys.passphrase:
            work = min(int(words[2]), _MOST_WORK)
            wrap = _stretched(keys.passphrase, _bytes(words[1]), work)
        elif words[0] == b"X25519" and keys.identity:
            mine = identity_bytes(keys.identity)
            ours = X25519PrivateKey.from_private_bytes(mine)
            share = _bytes(words[1])
            public = X25519PublicKey.from_public_bytes(share)
            recipient = ours.public_key().public_bytes_raw()
            wrap = _wrapping_key(ours, public, share, recipient)
        else:
            return None
        return ChaCha20Poly1305(wrap).decrypt(_NO_NONCE, _bytes(body), None)
    except (InvalidTag, ValueError, IndexError):
        return None


def _why_not_opened(kinds: list[bytes], keys: Keys) -> str:
    if b"scrypt" in kinds:
        if keys.passphrase:
            return "The passphrase is wrong, or the first lines of the archive are damaged."
        return (
            "The archive is encrypted with a passphrase: set Backup:Passphrase, or "
            "give it with --passphrase-stdin."
        )
    if keys.identity:
        return (
            "The archive is encrypted for another key than that of the identity, or its "
            "first lines are damaged."
        )
    return (
        "The archive is encrypted for a public key: set Backup:Identity to the private "
        "one (AGE-SECRET-KEY-1…), or give its file with --identity."
    )


def _wrapping_key(
    ours: X25519PrivateKey, theirs: X25519PublicKey, share: bytes, recipient: bytes
) -> bytes:
    return _derived(ours.exchange(theirs), share + recipient, _X25519)


def _stretched(passphrase: str, salt: bytes, work: int) -> bytes:
    kdf = Scrypt(salt=_SCRYPT + salt, length=32, n=1 << work, r=8, p=1)
    return kdf.derive(passphrase.encode())


def _derived(key: bytes, salt: bytes, purpose: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt, purpose).derive(key)


def _mac(file_key: bytes, header: bytes) -> bytes:
    signature = hmac.HMAC(_derived(file_key, b"", b"header"), hashes.SHA256())
    signature.update(header)
    return signature.finalize()


def _text(data: bytes) -> bytes:
    return base64.b64encode(data).rstrip(b"=")


def _bytes(text: bytes) -> bytes:
    data = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    if _text(data) != text:
        raise ValueError("not in its only form")
    return data
