"""Durable writing of small files: after a power cut there is the old or the new one,
never half of it. For the host's keys, backups and records."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec


def replace_text(path: Path, text: str) -> None:
    """Give a file this text, readable by the application's user alone, at once."""
    # One name, so that what a crash leaves is overwritten by the next attempt.
    temporary = path.with_name(f".{path.name}.tmp")
    handle = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def as_json(value: object) -> str:
    """Return a dataclass as the text of a file, which msgspec reads back."""
    return f"{msgspec.json.encode(value).decode()}\n"


def sync_file(path: Path) -> None:
    """Bring a file's content to the disk."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Bring the names of a folder to the disk, where the system knows such a thing."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
