"""What commands that import share: output, progress, signals, exit codes.

It can be imported before Django is set up.
"""

from __future__ import annotations

from importer.management.exit_codes import BUSY, FAILED, WRONG_CALL, WRONG_SETTINGS
from importer.management.progress import ProgressLine
from importer.management.stopping import STOP_SIGNALS, stopping
from importer.management.summary import print_summary
from importer.management.terminal import VisibleCommand

__all__ = [
    "BUSY",
    "FAILED",
    "STOP_SIGNALS",
    "WRONG_CALL",
    "WRONG_SETTINGS",
    "ProgressLine",
    "VisibleCommand",
    "print_summary",
    "stopping",
]
