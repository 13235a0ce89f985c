"""The registry of notices for administrators on the start page.

Every installed app may have a module ``notices.py``, found as Django finds
``admin.py``, that calls ``register``.
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
        """Return the severity as text, because colour alone isn't enough."""
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

    It is called each time the page is shown, so it should take few queries.
    """
    _sources.append((notices, seen_by))


def notices_for(user: Any) -> list[Notice]:
    """Return the notices a user may see, by severity and then in the order of the
    apps."""
    found = [one for source in _sources for one in _read(source, user)]
    return sorted(found, key=lambda notice: -notice.severity)


def used(text: str, count: int, limit: int, *, remedy: str) -> Notice:
    """Return a notice on how much of a limit is used, a warning when little is left.

    `text` contains `used` and `limit`; `remedy` says what the limit ends, and what to do.
    """
    words = {
        "used": number_format(count, force_grouping=True),
        "limit": number_format(limit, force_grouping=True),
    }
    said = text % words
    if count >= limit * _LITTLE_LEFT:
        return Notice(NoticeSeverity.WARNING, f"{said} {remedy}")
    return Notice(NoticeSeverity.QUIET, said)


def _read(source: tuple[Notices, Seen], user: Any) -> Iterator[Notice]:
    """Return the notices of one source; an error in it must not break the page."""
    notices, seen_by = source
    try:
        yield from list(notices(user)) if seen_by(user) else ()
    except (InterfaceError, OperationalError):
        # Other sources would wait for the same database, one after the other.
        raise
    except Exception:
        logger.exception("A part of the start page cannot be shown")
        yield Notice(
            NoticeSeverity.PROBLEM,
            _("Part of this page can't be shown; see the server log for the reason."),
        )
