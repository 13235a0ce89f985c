"""The registry of plots on the start page, and what a plot consists of.

Every installed app may have a module ``plots.py``, found as Django finds ``admin.py``,
that calls ``register``. Pages draw a plot with the template tag ``plot``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from django.db import InterfaceError, OperationalError
from django.utils.formats import number_format
from django.utils.translation import gettext as _

logger = logging.getLogger("platform.overview")
Number = Decimal | int


class Shape(Enum):
    """How the numbers of a plot are drawn."""

    # One column for each point, for example each month.
    COLUMNS = "columns"
    # The series of a point above each other, with their sum as height.
    STACKED = "stacked"
    # A line from point to point.
    LINE = "line"
    # One row for each point, for points with long names.
    ROWS = "rows"


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a plot: a short label on the axis, its name in the table, and a number
    for each series.

    The link leads to the rows behind the numbers.
    """

    label: str
    name: str
    values: tuple[Number, ...]
    link: str = ""


def _plain(value: Number) -> str:
    return number_format(value, force_grouping=True)


@dataclass(frozen=True, slots=True)
class Plot:
    """Numbers as a picture, with the same numbers as a table beneath.

    ``key`` is unique on the page, and ``finding`` the sentence that readers should take
    away. Amounts in different currencies belong in plots of their own.
    """

    key: str
    subject: str
    finding: str
    shape: Shape = Shape.COLUMNS
    series: Sequence[str] = ()
    points: Sequence[Point] = ()
    # The heading of the column with the names of the points.
    heading: str = ""
    shown: Callable[[Number], str] = _plain
    link: str = ""
    link_text: str = ""
    note: str = ""


Plots = Callable[[Any], Iterable[Plot]]
Seen = Callable[[Any], bool]
_sources: list[tuple[int, Plots, Seen]] = []


def register(plots: Plots, *, seen_by: Seen, order: int = 100) -> None:
    """Register a function that returns plots for a user, and who may see them.

    It is called each time the start page is shown, with the user's time zone as the
    current one. It returns nothing as long as there are no numbers.
    """
    _sources.append((order, plots, seen_by))


def plots_for(user: Any) -> list[Plot]:
    """Return the plots a user may see, in their order."""
    ordered = sorted(_sources, key=lambda source: source[0])
    return [
        plot
        for number, (_order, plots, seen_by) in enumerate(ordered)
        for plot in _read(number, plots, seen_by, user)
    ]


def _read(number: int, plots: Plots, seen_by: Seen, user: Any) -> Iterator[Plot]:
    """Yield the plots of one source; an error in it must not break the page."""
    try:
        yield from list(plots(user)) if seen_by(user) else ()
    except (InterfaceError, OperationalError):
        # Other sources would wait for the same database, one after the other.
        raise
    except Exception:
        logger.exception("A plot of the start page cannot be shown")
        said = _("This plot can't be shown; see the server log for the reason.")
        yield Plot(f"broken-{number}", "", said)
