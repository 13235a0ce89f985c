"""What is compared, and the limits we hold ourselves to: the only place that has them."""

from __future__ import annotations

import statistics
from typing import NamedTuple

PROVIDERS = ("Sqlite", "PostgreSql")


class Goal(NamedTuple):
    """A figure, or its ratio to another one, with a limit for each provider."""

    title: str
    group: str
    figure: str
    beside: str | None = None
    at_least: tuple[float, float] | None = None
    at_most: tuple[float, float] | None = None
    unit: str = ""

    def limit(self, provider):
        """Return what is held, as ``>= 4``, or nothing if it is only shown."""
        index = PROVIDERS.index(provider)
        for sign, limits in ((">=", self.at_least), ("<=", self.at_most)):
            if limits:
                return sign, limits[index]
        return None


class Found(NamedTuple):
    """What a goal came to in the rounds of a measurement."""

    goal: Goal
    provider: str
    median: float
    low: float
    high: float

    @property
    def is_missed(self):
        """Whether the median breaks the limit."""
        limit = self.goal.limit(self.provider)
        if limit is None:
            return False
        sign, number = limit
        return self.median < number if sign == ">=" else self.median > number

    def __str__(self):
        unit = self.goal.unit
        sign, number = self.goal.limit(self.provider)
        wanted = {">=": "at least", "<=": "at most"}[sign]
        return (
            f"{self.goal.title} on {self.provider}: {self.median:.2f}{unit} "
            f"({self.low:.2f} to {self.high:.2f}), and {wanted} {number:g}{unit} is "
            "the goal."
        )


HISTORY = "import-export with history"
GOALS = (
    Goal(
        "First import, times django-import-export with history",
        *("objects", f"first, {HISTORY}", "first, ours"),
        at_least=(4, 3.5),
    ),
    Goal(
        "First import : raw driver",
        *("objects", "first, ours", "first, raw driver"),
        at_most=(5, 1.6),
    ),
    Goal(
        "Identical import, times django-import-export with history",
        *("objects", f"identical, {HISTORY}", "identical, ours"),
        at_least=(120, 180),
    ),
    Goal(
        "Identical import : reading and hashing alone",
        *("objects", "identical, ours", "identical, reading and hashing"),
        at_most=(2.2, 2.2),
    ),
    Goal(
        "1 % changed : identical and the changed ones",
        *("objects", "1 % changed, ours", "identical + the changed ones, ours"),
        at_most=(1.1, 1.1),
    ),
    Goal(
        "1 % changed, times django-import-export with history",
        *("objects", f"1 % changed, {HISTORY}", "1 % changed, ours"),
    ),
    Goal(
        "Dry run, times django-import-export with history",
        *("objects", f"dry run, {HISTORY}", "dry run, ours"),
    ),
    Goal(
        "Reading Cyrillic : reading ASCII",
        *("objects", "reading Cyrillic", "reading ASCII"),
        at_most=(1.5, 1.5),
    ),
    *(
        Goal(f"{what} import, times {peer}", "objects", f"{figure}, {who}", ours)
        for peer, who in (
            ("django-import-export tuned", "import-export tuned"),
            ("Tryton", "Tryton"),
        )
        for what, figure, ours in (
            ("First", "first", "first, ours"),
            ("Identical", "identical", "identical, ours"),
        )
    ),
    Goal(
        "Documents of ten lines, posted, times Django row by row",
        *("documents", "row by row", "ours, first"),
        at_least=(4, 4),
    ),
    Goal(
        "Documents: the last batch : the first",
        *("documents", "ours, last", "ours, first"),
        at_most=(1.5, 1.5),
    ),
    *(
        Goal(
            f"First import of a table as {form} : of the same package",
            *("lists", form, "package"),
            at_most=(most, most),
        )
        for form, most in (("CSV", 1.2), ("XLSX", 2))
    ),
    *(
        Goal(f"Peak memory, {name}", "memory", name, at_most=(150, 150), unit=" MB")
        for name in ("table as CSV", "table as XLSX")
    ),
    *(
        Goal(f"Peak memory, {name}", "memory", name, at_most=(120, 120), unit=" MB")
        for name in ("dry run", "first", "identical")
    ),
    Goal(
        "Cost per object, big package : small package",
        *("scale", "big, first", "small, empty database"),
        at_most=(1.1, 1.1),
    ),
    Goal(
        "Cost per object, beside the big package : empty database",
        *("scale", "small, beside big", "small, empty database"),
        at_most=(1.1, 1.1),
    ),
    Goal(
        "Cost per object, beside the change events : empty database",
        *("scale", "small, beside events", "small, empty database"),
        at_most=(1.1, 1.1),
    ),
    Goal(
        "Fixed cost: identical run of 50 objects",
        *("requests", "identical run of 50 objects"),
        at_most=(25, 25),
        unit=" ms",
    ),
    Goal(
        "Creating a row through the API, times plain DRF",
        *("requests", "API create, plain DRF", "API create, ours"),
    ),
    *(
        Goal(
            f"Reading {what} through the API : plain DRF",
            *("requests", f"API {kind}, ours", f"API {kind}, plain DRF"),
            at_most=(1.1, 1.1),
        )
        for what, kind in (("a list", "list"), ("a row", "row"))
    ),
    Goal(
        "Reads beside an import: p99, times idle",
        *("service", "read, p99, importing", "read, p99, idle"),
        at_most=(2, 2),
    ),
    Goal(
        "Writes beside an import: the worst",
        *("service", "write, worst, importing"),
        at_most=(100, 100),
        unit=" ms",
    ),
    *(
        Goal(title, "pages", f"slowest {kind}", at_most=(limit, limit), unit=" ms")
        for title, kind, limit in (
            ("Slowest page", "page", 150),
            ("Slowest search", "search", 150),
            ("Slowest list of the API", "api", 20),
            ("Slowest report", "report", 200),
        )
    ),
)


def found(provider, groups):
    """Return what each goal came to whose figures were measured."""
    for goal in GOALS:
        figures = groups.get(goal.group, {})
        if goal.figure in figures and (goal.beside is None or goal.beside in figures):
            yield Found(goal, provider, *_spread(goal, figures))


def missed(providers):
    """Return the goals that are missed."""
    return [
        one
        for provider, groups in providers.items()
        for one in found(provider, groups)
        if one.is_missed
    ]


def _spread(goal, figures):
    """Return median, lowest and highest value of the rounds."""
    taken = figures[goal.figure]
    if goal.beside is None:
        return statistics.median(taken), min(taken), max(taken)
    beside = figures[goal.beside]
    if len(taken) == len(beside):
        ratios = [one / other for one, other in zip(taken, beside, strict=True)]
        return statistics.median(ratios), min(ratios), max(ratios)
    # Not taken in the same rounds: the worst that the spread of both allows.
    middle = statistics.median(taken) / statistics.median(beside)
    return middle, min(taken) / max(beside), max(taken) / min(beside)
