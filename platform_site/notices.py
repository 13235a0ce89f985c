"""Where the apps put up what an administrator should know, for the start page to read.

Every installed app may have a module ``notices.py``, found as Django finds ``admin.py``,
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


class NoticeSeverity(IntEnum):
    """The severity of a notice; the more severe ones are listed first."""

    QUIET = 0
    WARNING = 1
    PROBLEM = 2

    @property
    def word(self) -> str:
        """Return the severity as readers see it, for colour alone tells nothing."""
        return {
            NoticeSeverity.QUIET: _("Note"),
            NoticeSeverity.WARNING: _("Warning"),
            NoticeSeverity.PROBLEM: _("Problem"),
        }[self]


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for people, with an optional link."""

    severity: NoticeSeverity
    text: str
    link: str = ""
    link_text: str = ""


Notices = Callable[[Any], Iterable[Notice]]
Seen = Callable[[Any], bool]
_sources: list[tuple[Notices, Seen]] = []


def register(notices: Notices, *, seen_by: Seen) -> None:
    """Register a function that returns notices, and who may see them.

    The function is called each time the page is shown, so it asks the database little.
    """
    _sources.append((notices, seen_by))


def notices_for(user: Any) -> list[Notice]:
    """Return the notices a user may see, the most severe first, else in the order of the apps."""
    found = [one for source in _sources for one in _read(source, user)]
    return sorted(found, key=lambda notice: -notice.severity)


def used(text: str, count: int, limit: int) -> Notice:
    """Return how much of a limit is used: a warning once little of it is left.

    `text` has the places `used` and `limit`.
    """
    words = {
        "used": number_format(count, force_grouping=True),
        "limit": number_format(limit, force_grouping=True),
    }
    scarce = count >= limit * _LITTLE_LEFT
    return Notice(
        NoticeSeverity.WARNING if scarce else NoticeSeverity.QUIET, text % words
    )


def _read(source: tuple[Notices, Seen], user: Any) -> Iterator[Notice]:
    """Return the notices of one source; a broken one must not close the administration."""
    notices, seen_by = source
    try:
        yield from list(notices(user)) if seen_by(user) else ()
    except (InterfaceError, OperationalError):
        # Others would wait for the same database, one after the other.
        raise
    except Exception:
        logger.exception("A part of the start page cannot be shown")
        yield Notice(
            NoticeSeverity.PROBLEM,
            _("Part of this page can't be shown; the server log has the reason."),
        )
