"""Writes the section about soaks into docs/reliability.md, with its plots:
`python -m tests.benchmarks.soak.publish ONE.json THREE.json`.

The section is between two marks, and the figures are kept in docs/reliability.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.benchmarks import plots, tables
from tests.benchmarks.soak import samples, servers, verdict, work

DOCS = APPLICATION_FOLDER / "docs"
BEGIN = "<!-- `make reliability` writes what follows. -->"
END = "<!-- The end of what it writes. -->"
# The section that the new one precedes.
_BEFORE = "## Where in the code"
_COUNTS = {1: "One node", 3: "Three nodes"}
_PICTURES = {
    "memory": "Memory over time",
    "handles": "Threads and descriptors over time",
    "answers": "Times of answers by minute",
}
_TEXT = f"""
Simulated users work on real servers, which start with the demo company and
some thousand more items. People sign in, open the start page, lists, rows, reports and the
search, and sign out. One program reads, one enters and posts documents and repeats each request
with its `Idempotency-Key`, and one follows the changes. Everybody pauses for about a second
between two requests, so that the machine is busy, but not overloaded. Every minute a package of
{work.OBJECTS:,} items is imported, in turn with other values than before and with the same, and a
table of {work.ROWS} rows is put into a watched folder. A job looks into that folder every
{servers.LOOK_SECONDS} seconds, another one calculates costs anew every
{servers.COSTS_SECONDS // 60} minutes, and a webhook is told of orders and imports. With three
nodes, each request goes to the next of them.

Every {samples.EVERY} seconds the memory, threads and descriptors of each server are read from
outside. Memory is judged by a line through the last two thirds of its samples (the median of the
slopes between all pairs; one of several nodes may grow more than all together, because its
first import may come late), threads and descriptors by the lowest sample of each minute, which is
that between imports, and answers by all requests together. The first minute doesn't count,
because a server loads some of its modules then.
"""
_TOGETHER = """
Both of these worked at the same time, on the two cores of one machine.
"""
_REPEAT = """
### How to repeat it

```sh
make soak           # works for half an hour on one node, and for another on three
make reliability    # writes this section from the result
```

Each part fails if a bound is missed, a request isn't answered as it should be, or an import, a
job or a line of the log tells of an error. For other durations, users or databases, see
`python -m tests.benchmarks.soak --help`.
"""


def main(*sources, docs=DOCS):
    """Keep the figures, and write the section and its plots."""
    soaks = [json.loads(Path(one).read_text("utf-8")) for one in sources]
    soaks.sort(key=lambda one: len(one["nodes"]))
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in soaks)
    (docs / "reliability.json").write_text(f"[{lines}]\n", encoding="utf-8")
    page = docs / "reliability.md"
    page.write_text(
        with_section(page.read_text("utf-8"), section(soaks)), encoding="utf-8"
    )
    for name, plot in pictures(soaks).items():
        (docs / "images" / name).write_text(plot, encoding="utf-8")


def with_section(page, text):
    """Return a page with the section in the place of the old one."""
    if BEGIN in page:
        before, _, rest = page.partition(BEGIN)
        after = rest.partition(END)[2]
    else:
        before, mark, rest = page.partition(f"\n{_BEFORE}")
        before, after = f"{before}\n", f"\n{mark}{rest}"
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def section(soaks):
    """Return the section."""
    minutes = soaks[0]["minutes"]
    duration = "Thirty" if minutes == 30 else f"{minutes:g}"
    parts = [f"\n## {duration} minutes of work", _TEXT.rstrip()]
    if len(soaks) > len({soak["date"] for soak in soaks}):
        parts.append(_TOGETHER.rstrip())
    for soak in soaks:
        parts.append(f"\n### {title_of(soak)}\n")
        parts += [*_about(soak), "", *_figures(soak), ""]
        for name in pictures([soak]):
            kind = name.removesuffix(".svg").rpartition("-")[2]
            parts.append(f"![{_PICTURES[kind]}](images/{name})")
        parts += ["", *_latency(soak)]
    return "\n".join([*parts, _REPEAT.rstrip()])


def title_of(soak):
    """Return the number of nodes and the database of a soak."""
    return f"{_COUNTS[len(soak['nodes'])]}, {tables.DATABASES[soak['provider']]}"


def _about(soak):
    done = soak["work"]
    sizes = soak["samples"]["database"]
    logs = sum(node["log"][-1] for node in soak["nodes"].values())
    statuses = ", ".join(
        f"{code}: {n:,}" for code, n in sorted(soak["statuses"].items())
    )
    yield "| | |"
    yield "|---|---|"
    yield f"| Measured | {soak['date']}, commit {soak['commit']}, {soak['minutes']:g} minutes |"
    yield f"| Machine | {soak['processor']}, {soak['cores']} cores, {soak['memory']} |"
    yield f"| Size | {soak['users']} users, {soak['items']:,} more items |"
    yield f"| Requests | {soak['latency']['all']['count']:,} ({statuses}) |"
    yield (
        f"| Work | {len(done['imports'])} imports, {done['tables']} tables,"
        f" {sum(done['jobs'].values())} executions of jobs, {done['documents']} documents,"
        f" {done['messages']:,} messages to the webhook |"
    )
    yield f"| Changes followed | {done['changes']:,} |"
    yield (
        f"| Database, and largest WAL file | {sizes[0]:.0f} to {sizes[-1]:.0f} MB,"
        f" {max(soak['samples']['wal']):.0f} MB |"
    )
    most = max(max(node["spool"]) for node in soak["nodes"].values())
    yield f"| Log, and most in `spool/` | {logs:.1f} MB, {most:.1f} MB |"
    if soak["provider"] == "PostgreSql":
        taken = soak["samples"]["connections"]
        yield f"| Connections to PostgreSQL | {min(taken)} to {max(taken)} |"


def _figures(soak):
    yield "| Figure | Measured | Bound | |"
    yield "|---|---|---|---|"
    for one in verdict.figures(soak):
        met = "met" if one.is_met else "**missed**"
        yield f"| {one.name} | {one.value} | {one.bound} | {met} |"


def _latency(soak):
    yield "Milliseconds in the first third → in the last third:"
    yield ""
    yield "| Kind | Requests | Median | Slowest hundredth | Slowest of all |"
    yield "|---|---|---|---|---|"
    for kind, taken in soak["latency"].items():
        most = max(one["max"] for one in taken["minutes"] if one)
        first, last = taken["first"], taken["last"]
        shares = [
            f"{first[share]:.0f} → {last[share]:.0f}" if first and last else ""
            for share in ("p50", "p99")
        ]
        yield f"| {kind} | {taken['count']:,} | {' | '.join(shares)} | {most:.0f} |"


def pictures(soaks):
    """Return each plot by the name of its file."""
    found = {}
    for soak in soaks:
        name = f"soak-{_COUNTS[len(soak['nodes'])].split()[0].lower()}"
        title = title_of(soak)
        found[f"{name}-memory.svg"] = plots.lines(
            f"{title}: memory in MB", _memory(soak)
        )
        found[f"{name}-handles.svg"] = plots.lines(
            f"{title}: descriptors, and threads (dashed)", _handles(soak)
        )
        found[f"{name}-answers.svg"] = plots.lines(
            f"{title}: milliseconds for an answer, by minute", _answers(soak)
        )
    return found


def _memory(soak):
    return [
        plots.Line(label, _points(soak, node["pss"]), colour)
        for colour, (label, node) in enumerate(_nodes(soak))
    ]


def _handles(soak):
    drawn = []
    for colour, (label, node) in enumerate(_nodes(soak)):
        drawn.append(plots.Line(label, _points(soak, node["descriptors"]), colour))
        threads = _points(soak, node["threads"])
        drawn.append(plots.Line("", threads, colour, is_dashed=True))
    return drawn


def _answers(soak):
    minutes = soak["latency"]["all"]["minutes"]
    return [
        plots.Line(
            words,
            [(n + 0.5, one[share]) for n, one in enumerate(minutes) if one],
            colour,
        )
        for colour, (share, words) in enumerate(
            {"p50": "median", "p99": "slowest hundredth"}.items()
        )
    ]


def _nodes(soak):
    for name, node in soak["nodes"].items():
        yield f"node {name}", node


def _points(soak, values):
    """Return the points of samples, by minutes."""
    return [(at / 60, n) for at, n in zip(soak["samples"]["at"], values, strict=True)]


if __name__ == "__main__":
    main(*sys.argv[1:])
