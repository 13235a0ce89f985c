"""Regular chores: functions of apps that the server calls about once an hour, for
example to delete expired rows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Final

logger = logging.getLogger("platform.housekeeping")
Chore = Callable[[], object]
EVERY: Final = timedelta(hours=1)
_chores: Final[list[Chore]] = []


def register_chore(chore: Chore) -> None:
    """Register a chore; registering it again changes nothing."""
    if chore not in _chores:
        _chores.append(chore)


def do_chores() -> None:
    """Call all chores; a failing one is logged and doesn't stop the others."""
    for chore in _chores:
        try:
            chore()
        except Exception:
            logger.exception("The task “%s” failed; it will be repeated.", chore)
