"""Keep what an administrator uploaded, so that an import takes the very bytes of its
dry run (OPEN-52). A file is known by the SHA-256 of its bytes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, BinaryIO

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from importer.package.file_names import file_name
from importer.runs.background import copied

KEPT_FOR = timedelta(hours=24)
MOST_PER_USER = 5
MOST_FILES = 20
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, eq=False)
class KeptFile:
    """Hold an uploaded package; its file has no name and ends with the process."""

    user_id: Any
    name: str
    size: int
    digest: str
    at: datetime
    _file: BinaryIO
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Offer the bytes from their beginning, to one reader at a time."""
        with self._lock:
            self._file.seek(0)
            yield self._file


_kept: list[KeptFile] = []
_lock = threading.Lock()


def keep(upload: UploadedFile[bytes], user: Any) -> KeptFile:
    """Keep an upload for its user; OSError where the disk does not take it."""
    file, digest = copied(upload)  # type: ignore[arg-type]  # it reads as a file does
    name = file_name(upload.name, _LONGEST_NAME) or "package.json"
    size = upload.size or 0
    kept = KeptFile(user.pk, name, size, digest, timezone.now(), file)
    with _lock:
        _forget(lambda one: one.user_id == user.pk and one.digest == digest)
        _kept.append(kept)
        _drop_old(user.pk)
    return kept


def find(user: Any, digest: str) -> KeptFile | None:
    """Return a file the user uploaded by its SHA-256, None once it is forgotten."""
    return next((one for one in _own(user) if one.digest == digest), None)


def latest(user: Any) -> KeptFile | None:
    """Return the file the user uploaded last, None if there is none."""
    return next(iter(reversed(_own(user))), None)


def _own(user: Any) -> list[KeptFile]:
    with _lock:
        _drop_old(user.pk)
        return [one for one in _kept if one.user_id == user.pk]


def _drop_old(user_id: Any) -> None:
    since = timezone.now() - KEPT_FOR
    _forget(lambda one: one.at < since)
    own = [one for one in _kept if one.user_id == user_id]
    old = own[:-MOST_PER_USER] + _kept[:-MOST_FILES]
    _forget(lambda one: one in old)


def _forget(which: Any) -> None:
    # Whoever reads one just now may go on; its file ends with its last reader.
    _kept[:] = [one for one in _kept if not which(one)]
