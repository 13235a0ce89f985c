"""The data folder with all local state: its location (pure, for the settings), and its
creation and write check for the startup sequence."""

from __future__ import annotations

import errno
import logging
import os
import stat
import tempfile
from pathlib import Path
from typing import Final

from platform_site.settings.errors import StartRefusedError

DEFAULT_BLOBS: Final = "blobs"
_OLD_BLOBS: Final = Path("App_Data", "blobs")
# Read only by the application; attachments and backups may be shared.
_OWN_FOLDERS: Final = ("db", "keys")
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
logger = logging.getLogger("platform.host")


def resolve(data_path: str, host_data_path: str, application: Path) -> Path:
    """Return the absolute data folder: the first configured path, else the
    application's.

    A relative path is below the application folder (HOST-060..063, OPEN-98).
    """
    return Path(os.path.abspath(application / (data_path or host_data_path)))  # noqa: PTH100 - resolve() would follow links, and messages show what was set


def blobs_folder(data_folder: Path, configured: str) -> Path:
    """Return the folder of attachments (HOST-070..072).

    An installation with only the old folder keeps it, unless another is configured
    (OPEN-99).
    """
    if configured in ("", DEFAULT_BLOBS):
        new, old = data_folder / DEFAULT_BLOBS, data_folder / _OLD_BLOBS
        return old if old.is_dir() and not new.exists() else new
    return data_folder / configured


def prepare(folder: Path) -> None:
    """Create a folder for the application's user only, and check that it is writable.

    Raise StartRefusedError with the path and the system's reason. An existing folder
    keeps its mode: it may be the application folder.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"probe")
            probe.flush()
    except OSError as error:
        reason = error.strerror or str(error)
        remedy = "Give the application's user write access to it"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "Free space on its disk"
        raise StartRefusedError(
            f"The data folder {folder} cannot be written ({reason}). {remedy}, or set "
            "Platform:DataPath (variable Platform__DataPath) to another folder."
        ) from error


def keep_private() -> None:
    """Restrict everything that this process creates to its user, including SQLite's
    files and parent folders, which get the default mode of the process."""
    os.umask(os.umask(0o077) | OTHERS)


def take_from_others(data_folder: Path, database: Path | None) -> None:
    """Restrict the database and the keys, which other users could read before.

    Files of other owners are not changed; the start reports the folder.
    """
    if os.name != "posix":
        return
    found = [data_folder / name for name in _OWN_FOLDERS]
    found += [path for folder in found if folder.is_dir() for path in folder.iterdir()]
    if database is not None:
        found += database.parent.glob(f"{database.name}*")
    for path in dict.fromkeys(found):
        _take_from_others(path)


def _take_from_others(path: Path) -> None:
    try:
        status = path.lstat()
        mode = stat.S_IMODE(status.st_mode)
        is_ours = status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode)
        if is_ours and mode & OTHERS:
            path.chmod(mode & ~OTHERS)
            logger.warning(
                "Other users could read %s; its permissions are restricted now.", path
            )
    except OSError:
        # Deleted in the meantime, or a disk without modes.
        return
