"""The maintenance mode: while its file is in the data folder, people get a message instead of
pages, and neither imports nor jobs start. Reading it needs no database."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from django.conf import settings

from platform_site.settings.durable import as_json, replace_text, sync_folder

_FILE: Final = ("db", "maintenance.json")
# Without a known end; with one, clients wait at most an hour before they try again.
_AGAIN_SECONDS: Final = 300
_SOONEST_SECONDS: Final = 30
_LATEST_SECONDS: Final = 3600


@dataclass(frozen=True, slots=True)
class Maintenance:
    """A maintenance in progress; ``until`` is when it is expected to end."""

    since: datetime
    message: str = ""
    until: datetime | None = None

    @property
    def again_seconds(self) -> int:
        """Return after how many seconds trying again makes sense."""
        if self.until is None:
            return _AGAIN_SECONDS
        left = int((self.until - datetime.now(UTC)).total_seconds())
        return min(max(left, _SOONEST_SECONDS), _LATEST_SECONDS)


class _Read:
    """What was read last, with what tells whether the file is another one."""

    lock = threading.Lock()
    of: tuple[Path, int, int] | None = None
    maintenance: Maintenance | None = None


def current_maintenance() -> Maintenance | None:
    """Return the maintenance in progress, None if there is none.

    It is called for each request, so the file is read only if it has changed.
    """
    path = _path()
    try:
        found = path.stat()
    except OSError:
        return None
    seen = (path, found.st_mtime_ns, found.st_ino)
    with _Read.lock:
        if _Read.of != seen:
            _Read.maintenance = _read(path, found.st_mtime)
            _Read.of = seen
        return _Read.maintenance


def begin_maintenance(message: str, until: datetime | None) -> Maintenance:
    """Begin a maintenance, or change its message and end."""
    before = current_maintenance()
    since = datetime.now(UTC) if before is None else before.since
    maintenance = Maintenance(since, message, until)
    replace_text(_path(), as_json(maintenance))
    return maintenance


def end_maintenance() -> bool:
    """End the maintenance; return whether there was one."""
    path = _path()
    if not path.exists():
        return False
    path.unlink(missing_ok=True)
    sync_folder(path.parent)
    return True


def _path() -> Path:
    folder: Path = settings.PLATFORM_DATA_FOLDER
    return folder.joinpath(*_FILE)


def _read(path: Path, written: float) -> Maintenance:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Maintenance)
    except (OSError, ValueError):
        # Somebody may have created it without content.
        return Maintenance(datetime.fromtimestamp(written, UTC))
