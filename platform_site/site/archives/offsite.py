"""The copy of an archive to another place: a folder, a bucket, or a command's."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

from platform_site.files.bucket import OF_BACKUPS, open_bucket
from platform_site.settings.durable import sync_folder
from platform_site.settings.s3_place import S3Place
from platform_site.site.archives.backup_settings import Offsite
from platform_site.site.archives.errors import ArchiveError, Stopped
from platform_site.site.archives.writing import HashingStream
from platform_site.site.host.archive_folder import ArchiveFile

_CHUNK: Final = 1 << 20
_LOOK_EVERY_SECONDS: Final = 0.5
_LONGEST_SECONDS: Final = 24 * 3600
_LONGEST_REASON: Final = 500


class OffsiteFailed(ArchiveError):
    """The reason why an archive wasn't copied to the other place."""


def send(
    offsite: Offsite, archive: ArchiveFile, has_stopped: Callable[[], bool]
) -> None:
    """Copy an archive; raise OffsiteFailed with a sentence, or Stopped."""
    if offsite.folder is not None:
        _copy(archive, offsite.folder, has_stopped)
    elif offsite.bucket is not None:
        _upload(archive, offsite.bucket)
    else:
        _call(offsite.command, archive, has_stopped)


def _copy(archive: ArchiveFile, folder: Path, has_stopped: Callable[[], bool]) -> None:
    """Copy it under its name only when it is complete, and read the copy again."""
    if not folder.is_dir():
        # Not created: a share that isn't mounted would fill the local disk.
        raise OffsiteFailed(f"There is no folder {folder}; is it mounted?")
    unfinished = folder / f".{archive.name}.tmp"
    try:
        with archive.path.open("rb") as source, unfinished.open("wb") as target:
            unfinished.chmod(0o600)
            stream = HashingStream(source, has_stopped)
            shutil.copyfileobj(stream, target, _CHUNK)
            target.flush()
            os.fsync(target.fileno())
        if _digest(unfinished, has_stopped) != stream.digest.digest():
            raise OffsiteFailed(f"The copy in {folder} differs from the archive.")
        unfinished.replace(folder / archive.name)
        sync_folder(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OffsiteFailed(f"{folder} can't be written: {reason}.") from error
    finally:
        if folder.is_dir():
            unfinished.unlink(missing_ok=True)


def _digest(path: Path, has_stopped: Callable[[], bool]) -> bytes:
    digest = sha256()
    with path.open("rb") as file:
        stream = HashingStream(file, has_stopped)
        while block := stream.read(_CHUNK):
            digest.update(block)
    return digest.digest()


def _upload(archive: ArchiveFile, place: S3Place) -> None:
    """Upload it in parts; the bucket compares the size."""
    try:
        bucket = open_bucket(place, OF_BACKUPS)
        bucket.put(archive.name, archive.path, archive.size)
    except OSError as error:
        raise OffsiteFailed(str(error)) from error


def _call(
    command: tuple[str, ...], archive: ArchiveFile, has_stopped: Callable[[], bool]
) -> None:
    """Run the command; it has to end with status 0."""
    words = {"{file}": str(archive.path.absolute()), "{name}": archive.name}
    call = [_filled(part, words) for part in command]
    if call == list(command):
        call.append(words["{file}"])
    limit = time.monotonic() + _LONGEST_SECONDS
    try:
        with subprocess.Popen(  # noqa: S603 - the operator's own command
            call,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process:
            while True:
                try:
                    errors = process.communicate(timeout=_LOOK_EVERY_SECONDS)[1]
                    break
                except subprocess.TimeoutExpired:
                    if has_stopped():
                        process.kill()
                        raise Stopped from None
                    if time.monotonic() > limit:
                        process.kill()
                        raise OffsiteFailed(
                            f"The command {call[0]} didn't end within a day."
                        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise OffsiteFailed(f"The command {call[0]} can't be run: {reason}.") from error
    if process.returncode:
        lines = errors.decode(errors="replace").strip().splitlines()
        told = f": {lines[-1][:_LONGEST_REASON]}" if lines else ""
        raise OffsiteFailed(
            f"The command {call[0]} ended with status {process.returncode}{told}"
        )


def _filled(part: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        part = part.replace(name, value)
    return part
