"""The reader of an archive: it passes each member on once, and checks every byte of the
file before it returns the manifest."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tarfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from platform_site.site.archives import manifest as names
from platform_site.site.archives.encryption import (
    MAGIC,
    DecryptingReader,
    is_encrypted,
)
from platform_site.site.archives.errors import ArchiveError, DamagedArchive
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.manifest import Manifest, manifest_of
from platform_site.site.archives.writing import (
    GZIP_BEGIN,
    HashingStream,
    file_seal,
)

# What is done with a member; it needn't be read to its end.
Visit = Callable[[str, HashingStream], None]
_NAMES: Final = re.compile(
    "|".join(
        (
            *map(re.escape, (names.SQLITE, names.POSTGRES, names.KEY)),
            *map(re.escape, (names.LICENCE, names.SETTINGS)),
            rf"{names.KEYS}jwt-signing-[0-9]{{8}}T[0-9]{{6}}Z\.key",
            rf"{names.BLOBS}[0-9a-f]{{2}}/[0-9a-f]{{32}}",
            rf"{names.BLOBS}{names.PACKAGES}[0-9a-f]{{32}}",
        )
    ),
    re.ASCII,
)
_CHUNK: Final = 1 << 20
_LARGEST_MANIFEST: Final = 64 << 20


def is_archive(path: Path) -> bool:
    """Return whether a file looks like an archive rather than a database.

    Raise ArchiveError if it can't be read.
    """
    try:
        with path.open("rb") as file:
            begin = file.read(len(MAGIC))
    except OSError as error:
        raise ArchiveError(
            f"The file {path} cannot be read: {error.strerror or error}."
        ) from None
    return is_encrypted(begin) or begin[:2] == GZIP_BEGIN[:2]


def read_archive(
    path: Path,
    keys: Keys,
    visit: Visit | None = None,
    has_stopped: Callable[[], bool] | None = None,
) -> Manifest:
    """Read an archive to its end, and return its manifest.

    `visit` gets each member before the archive as a whole is known to be good. Raise
    DamagedArchive for any byte that isn't as it was written, and WrongKey.
    """
    try:
        with ExitStack() as resources:
            file = resources.enter_context(path.open("rb"))
            source: Any = HashingStream(file, has_stopped)
            source = io.BufferedReader(source)
            if is_encrypted(source.peek(len(MAGIC))):
                source = io.BufferedReader(DecryptingReader(source, keys))
            if source.peek(len(GZIP_BEGIN))[: len(GZIP_BEGIN)] != GZIP_BEGIN:
                raise DamagedArchive("Its first bytes aren't those of an archive.")
            sealed = _SealedStream(source)
            packed = resources.enter_context(
                gzip.GzipFile("", "rb", fileobj=io.BufferedReader(sealed))
            )
            tar = resources.enter_context(
                tarfile.open(mode="r|", fileobj=packed, bufsize=_CHUNK)
            )
            manifest = _Check(visit).read(tar)
            # The end of the compressed stream has its checksum.
            while packed.read(_CHUNK):
                pass
            if not sealed.is_whole:
                raise DamagedArchive("Something follows its end.")
            return manifest
    except (EOFError, tarfile.TarError, zlib.error, gzip.BadGzipFile) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DamagedArchive(f"The archive {path} is damaged: {reason}.") from None
    except DamagedArchive as error:
        raise DamagedArchive(f"The archive {path} is damaged: {error}") from None
    except OSError as error:
        raise ArchiveError(
            f"The archive {path} cannot be read: {error.strerror or error}."
        ) from error


class _SealedStream(io.RawIOBase):
    """The bytes of an archive without its seal, which is compared at the end."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._digest = hashlib.sha256()
        self._length = len(file_seal(self._digest.digest()))
        self._held: bytes = source.read(self._length)
        self.is_whole = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer; raise DamagedArchive at the end if a byte was changed."""
        held = self._held + self._source.read(len(buffer))
        data, self._held = held[: -self._length], held[-self._length :]
        self._digest.update(data)
        buffer[: len(data)] = data
        if not data:
            if self._held != file_seal(self._digest.digest()):
                raise DamagedArchive("Its bytes differ from its checksum.")
            self.is_whole = True
        return len(data)


class _Check:
    """The comparison of what passes with the checksums, the manifest and its seal."""

    def __init__(self, visit: Visit | None) -> None:
        self._visit = visit
        self._lines = hashlib.sha256()
        self._members = self._bytes = 0
        self._own: dict[str, bytes] = {}

    def read(self, tar: tarfile.TarFile) -> Manifest:
        """Read all members; return the manifest if everything is as it says."""
        while member := tar.next():
            # It would remember every one.
            tar.members.clear()  # type: ignore[attr-defined]
            stream = HashingStream(tar.extractfile(member))
            if not member.isreg() or names.SEAL in self._own:
                raise DamagedArchive(f"It has an unexpected part, {member.name!r}.")
            if member.name in (names.CHECKSUMS, names.MANIFEST, names.SEAL):
                self._read_own(member, stream)
            else:
                self._pass_on(member, stream)
        return self._checked()

    def _read_own(self, member: tarfile.TarInfo, stream: HashingStream) -> None:
        if member.name == names.CHECKSUMS:
            _drain(stream)
            self._own[member.name] = stream.digest.hexdigest().encode()
            return
        if member.size > _LARGEST_MANIFEST:
            raise DamagedArchive("Its manifest is too large.")
        self._own[member.name] = stream.read()

    def _pass_on(self, member: tarfile.TarInfo, stream: HashingStream) -> None:
        if not _NAMES.fullmatch(member.name) or self._own:
            raise DamagedArchive(f"It has an unexpected part, {member.name!r}.")
        if self._visit is not None:
            self._visit(member.name, stream)
        _drain(stream)
        if stream.size != member.size:
            raise DamagedArchive(f"{member.name} is cut off.")
        self._lines.update(f"{stream.digest.hexdigest()}  {member.name}\n".encode())
        self._members += 1
        self._bytes += member.size

    def _checked(self) -> Manifest:
        if names.SEAL not in self._own or names.MANIFEST not in self._own:
            raise DamagedArchive("It isn't complete: its end is missing.")
        content = self._own[names.MANIFEST]
        seal = f"{hashlib.sha256(content).hexdigest()}\n".encode()
        if self._own[names.SEAL] != seal:
            raise DamagedArchive("Its manifest was changed.")
        manifest = manifest_of(content)
        found = self._lines.hexdigest()
        listed = self._own.get(names.CHECKSUMS, b"").decode()
        if not found == listed == manifest.checksums:
            raise DamagedArchive("Its content differs from its checksums.")
        if (self._members, self._bytes) != (manifest.members, manifest.bytes):
            raise DamagedArchive("It has other parts than its manifest says.")
        return manifest


def _drain(stream: HashingStream) -> None:
    while stream.read(_CHUNK):
        pass
