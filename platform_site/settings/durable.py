"""Durable writing of small files: after a power failure there is either the old or the
new file, never a partial one. For keys, backups and records of the host."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec


def replace_text(path: Path, text: str) -> None:
    """Replace a file by this text atomically, readable only by the application's
    user."""
    # A fixed name, so that the next attempt overwrites the rest of a crash.
    temporary = path.with_name(f".{path.name}.tmp")
    handle = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def as_json(value: object) -> str:
    """Return a dataclass as JSON text, which msgspec can read."""
    return f"{msgspec.json.encode(value).decode()}\n"


def sync_file(path: Path) -> None:
    """Flush a file's content to disk."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Flush the names of a folder to disk, if the system supports it."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
