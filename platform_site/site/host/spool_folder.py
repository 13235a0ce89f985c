"""The folder for temporary request and response bodies, under the data folder like
everything that is written (HOST-038)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from platform_site.settings import data_folder as folders


def use_spool_folder(data_folder: Path) -> None:
    """Create all temporary files of this process there, and delete those of a killed
    process. Only for the process that holds the lock of the data folder."""
    folder = data_folder / "spool"
    shutil.rmtree(folder, ignore_errors=True)
    folders.prepare(folder)
    # All code uses this: ours, Django's and that of libraries.
    tempfile.tempdir = str(folder)
