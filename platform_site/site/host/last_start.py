"""The record of the last start: its version, which tells an upgrade from a restart."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from platform_site import __version__
from platform_site.settings.durable import as_json, replace_text

_RECORD: Final = ("db", "last-start.json")
logger = logging.getLogger("platform.host")


@dataclass(frozen=True, slots=True)
class LastStart:
    """The version of a complete start, and its time."""

    version: str
    at: str


def last_start(data_folder: Path) -> LastStart | None:
    """Return the last complete start, None if it isn't known."""
    try:
        found = data_folder.joinpath(*_RECORD).read_bytes()
        return msgspec.json.decode(found, type=LastStart)
    except (OSError, ValueError):
        return None


def record_start(data_folder: Path) -> None:
    """Record a complete start, and log a change of the version."""
    last = last_start(data_folder)
    if last is not None and last.version == __version__:
        return
    if last is not None:
        logger.info("Version %s has become %s.", last.version, __version__)
    at = datetime.now(UTC).isoformat(timespec="seconds")
    replace_text(data_folder.joinpath(*_RECORD), as_json(LastStart(__version__, at)))
