"""Writes docs/performance.md and its charts from the figures of a measurement:
`python -m tests.benchmarks.publish FIGURES.json [AGAIN.json ...]`.

Parts that were measured again replace those of the first file, and the page tells when
each of them was taken.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.benchmarks import plots, tables

PAGE = APPLICATION_FOLDER / "docs" / "performance.md"
FIGURES = PAGE.with_suffix(".json")
IMAGES = PAGE.parent / "images"
# What of the objects is drawn.
CHARTS = {"first": "First import", "identical": "Identical import"}
# The load of a machine that does little else, and a size that the goals are about.
_IDLE, _ENOUGH = 0.5, 20_000
_HEAD = """# Performance

This page compares the speed of imports, documents, pages and the API with that of other
software on the same machine, and shows whether the goals of the project are met.
`make performance` writes this page from the figures in `docs/performance.json`.
"""
_WHO = """
## Who is measured

All participants import the same rows: an item has nine columns, two of which are references
found by code. The product is measured as it is used, with all rules, rights and change events.

| Name | What it is |
|---|---|
| ours | `import_package`, with one transaction and one change event for each object |
| import-export with history | `django-import-export` with `django-simple-history`, rows validated, unchanged rows skipped; the goals refer to it, because its work is the most similar to ours |
| import-export | django-import-export with its default settings; no history, and nothing skipped |
| import-export tuned | The same with all its options for speed: bulk writes, cached rows and references, unchanged rows skipped. It neither validates rows nor keeps a history. |
| Tryton | `import_data` of Tryton (`trytond`) with its history, in a separate process. It writes all rows in one transaction, so one wrong row rejects the whole file. It is measured only if you name a Python in which it is installed. |
| raw driver | The database driver alone: the same row and event in a transaction of its own, in the same tables |
| reading and hashing | The reader of the importer alone |
| row by row | Plain Django: documents, lines, movements and entries, each checked and saved separately |
| plain DRF | A view of Django REST framework with a history row, behind the same middleware |

In each round, all participants are measured once, in random order, in one process and on one
database. CPU is the CPU time of the process and of its backend on the database server. Ratios
are computed for each round; the tables show the median of the rounds with the lowest and the
highest value. [Benchmarks](decisions/benchmarks.md) has the reasons.
"""
_MISSED = """
## Goals that are missed, and why

The shares are those of a profile on SQLite, unless PostgreSQL is named; they hardly depend on the
machine. How long anything takes does: compare ratios.

| Goal | What takes the time | What was tried |
|---|---|---|
| Identical import, times import-export, and : reading | Reading and hashing 30 %, checking every property 18 %, remembering identifiers, codes and lines for references 17 %, finding rows by their marks 15 %, recording results 8 %, the rest in windows, steps and places of objects 12 %. The two goals don't fit together: 120 times import-export would be 1.7 times reading. | Unchanged objects are recorded a window at a time, keys are compared as integers, texts are checked by one expression, duplicate keys by counting. What is left is one call of Python for each purpose. An object whose hash is that of its mark could skip the check, if marks had the version of the check: that would save 18 %. A reader in a compiled language would save perhaps as much. |
| First import, times import-export, and : raw driver | SQLite's commit and three statements 30 %, validation 20 %, the check that references are live 6 %, Django's transaction and `save()` 10 %. On PostgreSQL two thirds are spent in the process, one third in the server. | Statements compiled once, statements prepared by the server, events without a model: from 1,436 µs to 390 on one machine. Pipelining and one statement for row and event were slower or saved too little, see [Statements](decisions/statements.md). |
| Pages with 250,000 rows and a million events | The search in the change history: a million rows are read, 240 MB, and two texts of each are compared. On PostgreSQL also pages that sort the keys of 250,000 rows, or search them and find nothing, and the search in the report of a run with 250,000 objects, which is compressed. | Trigrams, FTS5 and an index on names make every import slower, see [Lists and reports](decisions/lists-and-reports.md). Totals of more rows than a list counts are asked for after the page. |
| Lists of the API | `count` reads an entry of an index for each row: 20 of 25 ms of CPU on PostgreSQL for 250,000. A page in the middle passes 125,000 entries, 66 ms. For a filter by category or price, and for the order by name, no index has the column: all rows are read. | A stored number would make all writers wait for each other. Changes are never deleted: those counted once aren't counted again. Pages near the end are read from there, and only keys are sorted. |
| The whole stock report, and its page | 50,000 sums from an index of a million movements (three quarters of the time on a day in the past), as many rows made in Python, and 5.7 MB of JSON or the totals and the plot of the page. The page is cached: the second view takes 35 to 50 ms. | Monthly balances have hardly fewer rows. Numbers are converted without Django: the rows of today's stock take a quarter less CPU. |
| The page of the ledger balances | A million entries from an index: two thirds of its time | Balances that posting keeps would make all postings wait for one row of inventory. |
| Reads beside an import: p99, on SQLite | Server and import are one process and share Python's interpreter lock: the median of a read rises from 11.2 to 13.3 ms, the slowest hundredth from 19.7 to 44.1 ms. The import rests for 2 ms before each object while a request is answered, but not while it prepares the next thousand objects: 31 ms of CPU each time on a busy machine, 2.7 % of a first import, which is why the slowest hundredth of the reads meets it and the median doesn't. SQLite's driver gives the lock away for each row that it reads, 550 times for a page of 50 items, and gets it back up to 1 ms later. PostgreSQL's driver does so a few times for each query: 18.6 and 38 ms, within the goal. SQLite itself lets readers read while somebody writes. | Turns of 1 ms instead of 5. The list reads 500 keys less than at that measurement, so that it gives the lock away some 50 times. |
| Memory of a dry run | 91 MB are the program. For 250,000 objects a dry run keeps every planned code with its row, because the database has none of them, besides identifiers, hashes, places and names of references, which every run keeps: 160 bytes for each object. | Texts and keys are packed into arrays; Python's own dictionaries took three times as much. openpyxl is loaded only for workbooks. |
"""
_REPEAT = """
## How to repeat it

```sh
make bench          # measures everything; takes one to two hours, on an otherwise idle machine
make performance    # writes this page from the result
make bench-quick    # counts statements, transactions and queries, without times
```

`make bench` writes `benchmarks.json` and fails if a goal is missed. `make check` includes what
`make bench-quick` counts. To measure only a part, see `python -m tests.benchmarks --help`. For Tryton, install
`trytond` and `psycopg[binary,pool]` into a separate environment and name its Python
with `--tryton`.

## Where in the code

The goals are one table in `tests/benchmarks/goals.py`. Each other module of `tests/benchmarks/`
has one job: a measurement (`objects`, `scale`, `memory`, `documents`, `requests`, `pages`, `service`), a
side (`ours`, `raw`, `peer/`, `tryton/`) or the output (`tables`, `plots`, `publish`).
"""


def main(source, *again):
    """Keep the figures, and write the page and its charts."""
    result, *parts = (
        json.loads(Path(one).read_text("utf-8")) for one in (source, *again)
    )
    for part in parts:
        replace(result, part)
    text = json.dumps(result, indent=1)
    FIGURES.write_text(f"{text}\n", encoding="utf-8")
    PAGE.write_text(render(), encoding="utf-8")
    for path, chart in charts().items():
        path.write_text(chart, encoding="utf-8")


def replace(result, part):
    """Put the figures of a part, which was measured again, in the place of the old."""
    for provider, groups in part["providers"].items():
        result["providers"].setdefault(provider, {}).update(groups)
        for group in groups:
            taken = {key: part[key] for key in ("date", "commit")}
            result.setdefault("again", {}).setdefault(provider, {})[group] = taken


def figures():
    """Return the figures that are kept."""
    return json.loads(FIGURES.read_text(encoding="utf-8"))


def render():
    """Return the page."""
    result = figures()
    lines = [_HEAD, *_machine(result), *_warnings(result), "", "## Goals", ""]
    lines += tables.goal_table(result["providers"])
    for path in charts():
        lines.append(f"\n![{path.stem.replace('-', ' ')}](images/{path.name})")
    return "\n".join([*lines, _MISSED, _WHO, "## Figures", *_all(result), _REPEAT])


def _all(result):
    yield ""
    yield "Medians, with the lowest and the highest round in brackets."
    for group, title in tables.GROUPS.items():
        lines = list(tables.figures(result["providers"], group))
        if lines:
            yield from ("", f"### {title}", "", *lines)


def _machine(result):
    numbers, databases = result["numbers"], result["databases"]
    versions = [f"{tables.DATABASES[n]} {databases[n]['version']}" for n in databases]
    yield "| | |"
    yield "|---|---|"
    yield f"| Measured | {result['date']}, commit {result['commit']} |"
    yield from measured_again(result.get("again", {}))
    yield f"| Machine | {result['processor']}, {result['cores']} cores, {result['memory']} |"
    yield (
        f"| Software | {result['system']}, Python {result['python']}, "
        f"Django {result['django']}, {', '.join(versions)} |"
    )
    sizes = ", ".join(
        f"{name} {number:,}" for name, number in numbers.items() if number
    )
    yield f"| Size | {sizes} |"


def measured_again(again):
    """Return a row for each later measurement, with the parts that are of it."""
    parts = {}
    for provider, groups in again.items():
        for group, taken in groups.items():
            name = f"{tables.GROUPS[group].partition(':')[0]} ({tables.DATABASES[provider]})"
            parts.setdefault((taken["date"], taken["commit"]), []).append(name)
    for (date, commit), names in sorted(parts.items()):
        yield f"| Measured again | {date}, commit {commit}: {', '.join(names)} |"


def _warnings(result):
    """Return what makes the figures less than they should be."""
    if result["load"] > _IDLE:
        yield (
            f"\nThe machine was busy (load {result['load']}): the times are rough, and the "
            "ratios less so."
        )
    if result["numbers"]["objects"] < _ENOUGH:
        yield (
            "\nThis measurement is small: the fixed cost of a run weighs more than in the "
            "sizes that the goals are about."
        )
    if not all(one["is_counted"] for one in result["databases"].values()):
        yield "\nThe CPU of the PostgreSQL server is missing: it can't be read here."


def charts():
    """Return each chart by its file."""
    found = {}
    for provider, groups in figures()["providers"].items():
        for what, title in CHARTS.items():
            bars = _bars(groups.get("objects", {}), what)
            if bars:
                name = f"performance-{what}-{provider.lower()}.svg"
                title = f"{title}, {tables.DATABASES[provider]}: µs of CPU per object"
                found[IMAGES / name] = plots.chart(title, bars)
    return found


def _bars(taken, what):
    """Return those who took part, the fastest first."""
    bars = {
        name.removeprefix(f"{what}, "): values
        for name, values in taken.items()
        if name.startswith(f"{what}, ") and name.count(", ") == 1
    }
    return dict(sorted(bars.items(), key=lambda bar: sorted(bar[1])))


if __name__ == "__main__":
    main(*sys.argv[1:])
