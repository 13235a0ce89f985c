"""The figures as tables in Markdown, for the terminal and for the page."""

from __future__ import annotations

import statistics

from tests.benchmarks import goals
from tests.benchmarks.timing import SHARES

DATABASES = {"Sqlite": "SQLite", "PostgreSql": "PostgreSQL"}
# Each group of figures with what its numbers are.
GROUPS = {
    "objects": "Objects: µs per object",
    "scale": "Small and big packages: µs per object",
    "lists": "Tables: µs per object",
    "memory": "Peak memory: MB",
    "documents": "Documents: ms per document",
    "requests": "Single requests and runs: ms",
    "service": "Beside an import: ms of waiting",
    "pages": "Pages and lists: ms on the server, and queries",
}
# What is a column of a figure, and no figure of its own.
_COLUMNS = (*SHARES[1:], ", queries")
ORDER = ("dry run", "first", "identical", "few", "1 %", "small", "big", "reading")


def everything(result):
    """Return the lines of the goals and of all figures."""
    yield from goal_table(result["providers"])
    for group, title in GROUPS.items():
        lines = list(figures(result["providers"], group))
        if lines:
            yield from ("", f"### {title}", "", *lines)


def goal_table(providers):
    """Return the lines of what is compared, and whether its goal is held."""
    yield "| | Database | Median (lowest to highest) | Goal | |"
    yield "|---|---|---|---|---|"
    for provider in providers:
        for one in goals.found(provider, providers[provider]):
            limit, unit = one.goal.limit(provider), one.goal.unit
            goal = f"{_sign(limit[0])} {limit[1]:g}{unit}" if limit else ""
            held = ("**missed**" if one.is_missed else "held") if limit else ""
            yield (
                f"| {one.goal.title} | {DATABASES[provider]} "
                f"| {spread(one.median, one.low, one.high, unit)} | {goal} | {held} |"
            )


def _sign(sign):
    return {">=": "≥", "<=": "≤"}[sign]


def figures(providers, group):
    """Return the lines of a group: its medians with their spread, by database."""
    named = {p: groups[group] for p, groups in providers.items() if group in groups}
    columns = dict(_columns(named))
    names = {n for taken in named.values() for n in taken if not n.endswith(_COLUMNS)}
    if not names:
        return
    yield f"| | {' | '.join(columns)} |"
    yield "|---|" + "---:|" * len(columns)
    for name in sorted(names, key=_place):
        cells = [named[p].get(name + share) for p, share in columns.values()]
        yield f"| {name} | {' | '.join(map(_cell, cells))} |"


def _columns(named):
    """Return each column by its title, as provider and share."""
    for provider, taken in named.items():
        title = DATABASES[provider]
        if not any(name.endswith(", wall") for name in taken):
            yield title, (provider, "")
            if any(name.endswith(", queries") for name in taken):
                yield f"{title}, queries", (provider, ", queries")
            continue
        yield f"{title}, CPU", (provider, "")
        if provider != "Sqlite":
            yield f"{title}, of that the server", (provider, ", server")
        yield f"{title}, wall", (provider, ", wall")


def _place(name):
    """Return where a figure stands: those of one measurement together, ours first."""
    measurement, _, who = name.partition(", ")
    order = [place for place, word in enumerate(ORDER) if measurement.startswith(word)]
    return order or [len(ORDER)], measurement, who != "ours", who


def _cell(taken):
    if not taken:
        return ""
    return spread(statistics.median(taken), min(taken), max(taken))


def spread(median, low, high, unit=""):
    """Return a median with the lowest and highest value."""
    if low == high:
        return f"{number(median)}{unit}"
    return f"{number(median)}{unit} ({number(low)} to {number(high)})"


def number(value):
    """Return a number with as many digits as it deserves."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
