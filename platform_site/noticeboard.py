"""Where the apps put up what an administrator should know, for the start page to read.

Every installed app may have a module ``attention.py``, found as Django finds ``admin.py``,
that calls ``register``. This module knows none of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from django.db import InterfaceError, OperationalError
from django.utils.formats import number_format
from django.utils.translation import gettext as _

logger = logging.getLogger("platform.overview")
_LITTLE_LEFT: Final = 0.9


class Severity(IntEnum):
    """Say how loud a notice is; the higher, the further up it stands."""

    QUIET = 0
    WARNING = 1
    PROBLEM = 2

    @property
    def word(self) -> str:
        """Return the severity as readers see it, for colour alone tells nothing."""
        return {
            Severity.QUIET: _("Note"),
            Severity.WARNING: _("Warning"),
            Severity.PROBLEM: _("Problem"),
        }[self]


@dataclass(frozen=True, slots=True)
class Notice:
    """Hold a sentence for people and where it leads: an address and its words."""

    severity: Severity
    text: str
    link: str = ""
    link_text: str = ""


Notices = Callable[[Any], Iterable[Notice]]
Seen = Callable[[Any], bool]
_boards: list[tuple[Notices, Seen]] = []


def register(notices: Notices, *, seen_by: Seen) -> None:
    """Put up what a function says of a user's page, for the users a check lets see it.

    The function is called each time the page is shown, so it asks the database little.
    """
    _boards.append((notices, seen_by))


def notices_for(user: Any) -> list[Notice]:
    """Return what a user may see, the loudest first, else in the order of the apps."""
    found = [one for board in _boards for one in _read(board, user)]
    return sorted(found, key=lambda notice: -notice.severity)


def used(text: str, count: int, limit: int) -> Notice:
    """Return how much of a limit is used: aloud once little of it is left.

    `text` has the places `used` and `limit`.
    """
    words = {
        "used": number_format(count, force_grouping=True),
        "limit": number_format(limit, force_grouping=True),
    }
    scarce = count >= limit * _LITTLE_LEFT
    return Notice(Severity.WARNING if scarce else Severity.QUIET, text % words)


def _read(board: tuple[Notices, Seen], user: Any) -> Iterator[Notice]:
    """Read one board; a broken one must not shut the whole administration."""
    notices, seen_by = board
    try:
        yield from list(notices(user)) if seen_by(user) else ()
    except (InterfaceError, OperationalError):
        # Others would wait for the same database, one after the other.
        raise
    except Exception:
        logger.exception("A part of the start page cannot be shown")
        yield Notice(
            Severity.PROBLEM,
            _("Part of this page can't be shown; the server log has the reason."),
        )
