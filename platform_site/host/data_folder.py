"""The one folder all local state lives under: where it is (pure, for the settings),
and its creation and write probe for the startup sequence."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import Final

from platform_site.host.refusal import StartRefusedError

DEFAULT_BLOBS: Final = "blobs"
_OLD_BLOBS: Final = Path("App_Data", "blobs")


def resolve(data_path: str, host_data_path: str, application: Path) -> Path:
    """Return the absolute data folder: the first path set, else the application's.

    A relative value lies under the application folder (HOST-060..063, OPEN-98).
    """
    return Path(os.path.abspath(application / (data_path or host_data_path)))  # noqa: PTH100 - resolve() would follow links, and messages show what was set


def blobs_folder(data_folder: Path, configured: str) -> Path:
    """Return the folder of attachments (HOST-070..072).

    An install with only the old folder keeps it, unless another was set (OPEN-99).
    """
    if configured in ("", DEFAULT_BLOBS):
        new, old = data_folder / DEFAULT_BLOBS, data_folder / _OLD_BLOBS
        return old if old.is_dir() and not new.exists() else new
    return data_folder / configured


def prepare(folder: Path) -> None:
    """Create a folder for the application's user alone, and prove it can be written.

    Raises StartRefusedError with the path and the system's reason. An existing folder
    keeps its mode: it may be the application's own.
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
            remedy = "Make room on its disk"
        raise StartRefusedError(
            f"The data folder {folder} cannot be written ({reason}). {remedy}, or set "
            "Platform:DataPath (variable Platform__DataPath) to another folder."
        ) from error
