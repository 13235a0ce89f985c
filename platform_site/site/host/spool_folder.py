"""The folder for what is on its way in or out and is kept nowhere; under the data folder,
as all that is written (HOST-038)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from platform_site.settings import data_folder as folders


def use_spool_folder(data_folder: Path) -> None:
    """Let all temporary files of this process be made there, and remove what one that
    was killed has left. Only for the process that holds the lock of the data folder."""
    folder = data_folder / "spool"
    shutil.rmtree(folder, ignore_errors=True)
    folders.prepare(folder)
    # Whoever makes one, we ourselves, Django or a library, takes it from here.
    tempfile.tempdir = str(folder)
