"""The writer of an archive: a compressed tar, perhaps encrypted, written as a stream with
the checksum of each member."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from platform_site.site.archives.encryption import EncryptingWriter
from platform_site.site.archives.errors import Stopped
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.manifest import (
    CHECKSUMS,
    MANIFEST,
    SEAL,
    Manifest,
    bytes_of,
)

_LEVEL: Final = 1
# What such a file begins with: no name, no time, no system.
GZIP_BEGIN: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"
_CHUNK: Final = 1 << 20
# Checksums stay in memory up to a few thousand files.
_IN_MEMORY: Final = 1 << 20


def file_seal(digest: bytes) -> bytes:
    """Return the end of an archive: an empty gzip member with the SHA-256 of all bytes
    before it as its comment.

    Programs that unpack ignore it. Compressed bytes can be changed so that the same
    content comes out, which no other checksum notices.
    """
    has_comment = 16
    begin = GZIP_BEGIN[:3] + bytes([has_comment]) + GZIP_BEGIN[4:]
    return begin + digest.hex().encode() + b"\0" + b"\x03\0" + bytes(8)


class HashingStream(io.RawIOBase):
    """A stream over another one that hashes and counts what passes, and ends when
    asked."""

    def __init__(self, stream: Any, has_stopped: Callable[[], bool] | None = None):
        self._stream = stream
        self._has_stopped = has_stopped or (lambda: False)
        self.digest = hashlib.sha256()
        self.size = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def writable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read from the stream below."""
        data: bytes = self._passed(self._stream.read(size))
        return data

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from the stream below."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        """Write to the stream below."""
        self._stream.write(self._passed(data))
        return len(data)

    def _passed(self, data: Any) -> Any:
        if self._has_stopped():
            raise Stopped
        self.digest.update(data)
        self.size += len(data)
        return data


class ArchiveWriter:
    """An archive in the making; members are added in order, the manifest at the end."""

    def __init__(
        self, path: Path, keys: Keys, has_stopped: Callable[[], bool] | None = None
    ) -> None:
        self._has_stopped = has_stopped
        self._resources = ExitStack()
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        self._file = self._resources.enter_context(os.fdopen(handle, "wb"))
        # Of the file as it lies on the disk.
        self.written = HashingStream(self._file)
        target: Any = self.written
        if keys.encrypt:
            target = self._resources.enter_context(EncryptingWriter(target, keys))
        self._packed = HashingStream(target)
        # Called when the compressed stream has ended.
        self._resources.callback(self._write_file_seal)
        packed = self._resources.enter_context(
            gzip.GzipFile("", "wb", compresslevel=_LEVEL, fileobj=self._packed, mtime=0)
        )
        self._tar = self._resources.enter_context(
            tarfile.open(  # noqa: SIM115 - the stack closes it
                mode="w|", fileobj=packed, format=tarfile.PAX_FORMAT
            )
        )
        self._checksums = self._resources.enter_context(
            tempfile.SpooledTemporaryFile(  # noqa: SIM115 - the stack closes it
                max_size=_IN_MEMORY, dir=str(path.parent)
            )
        )
        self._digest = hashlib.sha256()
        self.members = 0
        self.bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._resources.close()

    def add(self, name: str, stream: BinaryIO, size: int) -> str:
        """Add a member of a known size; return its SHA-256.

        Raise OSError if the stream is shorter.
        """
        passing = HashingStream(stream, self._has_stopped)
        self._add(name, passing, size)
        line = f"{passing.digest.hexdigest()}  {name}\n".encode()
        self._checksums.write(line)
        self._digest.update(line)
        self.members += 1
        self.bytes += size
        return passing.digest.hexdigest()

    def add_file(self, name: str, path: Path) -> str:
        """Add a file."""
        with path.open("rb") as file:
            return self.add(name, file, os.fstat(file.fileno()).st_size)

    def add_bytes(self, name: str, content: bytes) -> str:
        """Add a small member."""
        return self.add(name, io.BytesIO(content), len(content))

    def finish(self, describe: Callable[[str], Manifest]) -> Manifest:
        """Add the checksums, the manifest and its seal, and flush the file to disk.

        `describe` returns the manifest for the hash of the checksums.
        """
        size = self._checksums.tell()
        self._checksums.seek(0)
        self._add(CHECKSUMS, self._checksums, size)
        manifest = describe(self._digest.hexdigest())
        content = bytes_of(manifest)
        self._add(MANIFEST, io.BytesIO(content), len(content))
        seal = f"{hashlib.sha256(content).hexdigest()}\n".encode()
        self._add(SEAL, io.BytesIO(seal), len(seal))
        self._close_streams()
        return manifest

    def _write_file_seal(self) -> None:
        self._packed.write(file_seal(self._packed.digest.digest()))

    def _close_streams(self) -> None:
        """End each layer, the file last."""
        file = self._file
        copy = os.dup(file.fileno())
        try:
            self._resources.close()
            os.fsync(copy)
        finally:
            os.close(copy)

    def _add(self, name: str, stream: Any, size: int) -> None:
        information = tarfile.TarInfo(name)
        information.size, information.mode = size, 0o600
        information.mtime = int(time.time())
        self._tar.addfile(information, stream)
        # It would remember every one.
        self._tar.members.clear()  # type: ignore[attr-defined]
