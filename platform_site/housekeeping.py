"""Small chores that apps have done for them about once an hour while the site is served:
rows nobody needs any more are removed, without a person or a job to think of it."""

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
    """Have something done from time to time; a second time changes nothing."""
    if chore not in _chores:
        _chores.append(chore)


def do_chores() -> None:
    """Do all of them; one that fails is logged, and keeps none from the others."""
    for chore in _chores:
        try:
            chore()
        except Exception:
            logger.exception("The chore “%s” failed; it is tried again.", chore)
