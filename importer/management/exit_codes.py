"""The exit codes of commands; the page on operating has the same table."""

from __future__ import annotations

from typing import Final

FAILED: Final = 1
WRONG_CALL: Final = 2
# As in `sysexits.h`: a repeated command may succeed later, the same settings never.
BUSY: Final = 75
WRONG_SETTINGS: Final = 78
