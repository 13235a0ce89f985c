"""The lock that prevents a second server on the same data folder; the operating system
releases it when its holder dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from platform_site.settings.errors import StartRefusedError

FILE: Final = ("db", ".instance.lock")


@contextmanager
def only_instance(data_folder: Path) -> Iterator[None]:
    """Hold the instance lock (OPEN-104); raise StartRefusedError if it is taken."""
    path = data_folder.joinpath(*FILE)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(path, mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise StartRefusedError(
            f"Another Platform process is running on the data folder {data_folder}. "
            "Stop it first, or set Platform:DataPath to another folder."
        ) from None
    try:
        yield
    finally:
        lock.release()
