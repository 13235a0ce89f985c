"""The soak keeps in step with the code it watches, its bounds find what isn't flat, and
its section of the page is that of its figures."""

from __future__ import annotations

import json
import sys
from xml.etree import ElementTree

import pytest

from tests.benchmarks.soak import publish, samples, verdict
from tests.drill import DRILL
from tests.house.test_benchmarks import measured

MINUTES = 30
SECONDS = MINUTES * 60
AT = list(range(0, SECONDS, samples.EVERY))


def flat(nodes="A", provider="Sqlite", **changed):
    """Return made-up figures of a soak in which nothing grows; a column of the first node
    is changed by a function of the seconds."""
    columns = {
        "pss": lambda at: 150 + at % 60 / 20,
        # An import a minute has a thread and some files.
        "threads": lambda at: 13 if at % 60 < 10 else 12,
        "descriptors": lambda at: 40 if at % 60 < 10 else 30,
        "cpu": lambda at: at / 4,
        "spool": lambda _at: 0.0,
        "log": lambda at: at / 1000,
    }
    taken = {name: {what: [] for what in columns} for name in nodes}
    for name, node in taken.items():
        for what, column in columns.items():
            column = changed.get(what, column) if name == nodes[0] else column
            node[what] = [column(at) for at in AT]
    latency = changed.get("latency", lambda _at: 50.0)
    requests = [(at, "row", latency(at)) for at in range(SECONDS)]
    return {
        "date": "2026-01-02 10:00 UTC",
        "commit": "abc1234",
        "processor": "A processor",
        "cores": 2,
        "memory": "8 GB",
        "minutes": MINUTES,
        "users": 8,
        "items": 5_000,
        "provider": provider,
        "samples": {
            "at": AT,
            "database": [20.0] * len(AT),
            "wal": [4.0] * len(AT),
            "connections": [30] * len(AT),
        },
        "nodes": taken,
        "latency": verdict.latency(requests, SECONDS),
        "statuses": {"200": SECONDS},
        "work": {
            "imports": [{"at": 0, "seconds": 2}],
            "tables": 29,
            "jobs": {"units: Completed": 60},
            "runs": {"Completed": 60},
            "documents": 300,
            "changes": 20_000,
            "messages": 400,
        },
        "failures": changed.get("failures", []),
    }


def missed(result):
    return [one.name for one in verdict.figures(result) if not one.is_met]


def test_what_is_flat_meets_all_bounds():
    assert missed(flat()) == []
    assert missed(flat("ABC", "PostgreSql")) == []


def leak(at):
    """Grow by a megabyte every two minutes."""
    return 150 + at / 120


def warm(at):
    """Grow as caches do, in the first ten minutes."""
    return 150 + min(at, 600) / 10


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"pss": leak}, ["Memory, node A"]),
        ({"pss": warm}, []),
        # A single peak is no growth.
        ({"pss": lambda at: 400 if at == SECONDS - 60 else 150}, []),
        ({"threads": lambda at: 12 + at // 300}, ["Threads, node A"]),
        ({"descriptors": lambda at: 30 + at // 120}, ["Descriptors, node A"]),
        # While an import runs there may be as many as it needs.
        ({"descriptors": lambda at: 30 + at // 120 * (at % 60 < 20)}, []),
        (
            {"latency": lambda at: 50 + at / 30},
            ["Answers, median", SLOWEST := "Answers, slowest hundredth"],
        ),
        ({"latency": lambda at: 900 if at % 20 == 0 and at > 1200 else 50}, [SLOWEST]),
        ({"cpu": lambda at: at / 4 + max(0, at - 900) / 10}, ["CPU, all nodes"]),
        ({"failures": ["10 s: GET /: 500"]}, ["Failures"]),
    ],
)
def test_what_is_not_flat_is_found(changed, names):
    assert missed(flat(**changed)) == names


def test_a_late_first_import_on_one_of_several_nodes_is_no_leak():
    late = {"pss": lambda at: 158 if at > 1200 else 150}
    assert missed(flat("ABC", "PostgreSql", **late)) == []
    assert missed(flat(**late)) == ["Memory, node A"]


def test_the_section_is_written_between_its_marks(tmp_path):
    (tmp_path / "images").mkdir()
    page = tmp_path / "reliability.md"
    page.write_text("# Reliability\n\nBefore.\n\n## Where in the code\n\nAfter.\n")
    sources = [tmp_path / "three.json", tmp_path / "one.json"]
    for source, soak in zip(
        sources, [flat("ABC", "PostgreSql"), flat(pss=leak)], strict=True
    ):
        source.write_text(json.dumps(soak))
    publish.main(*sources, docs=tmp_path)
    text = page.read_text("utf-8")
    assert text.startswith("# Reliability\n\nBefore.\n\n<!--")
    assert text.endswith("-->\n\n## Where in the code\n\nAfter.\n")
    assert "## Thirty minutes of work" in text
    assert text.index("### One node, SQLite") < text.index("### Three nodes")
    (grown,) = (line for line in text.splitlines() if "**missed**" in line)
    assert grown.startswith("| Memory, node A | 160 MB, +6.2 % (+30.0 MB an hour)")
    drawn = sorted(path.name for path in (tmp_path / "images").iterdir())
    assert len(drawn) == 6
    for name in drawn:
        assert f"](images/{name})" in text
        ElementTree.fromstring((tmp_path / "images" / name).read_text("utf-8"))
    # Once more, it replaces itself.
    publish.main(*sources, docs=tmp_path)
    assert page.read_text("utf-8") == text


def test_the_section_of_the_page_is_current():
    page = (publish.DOCS / "reliability.md").read_text("utf-8")
    figures = publish.DOCS / "reliability.json"
    if not figures.exists():
        # It was never measured: then nothing is claimed.
        assert publish.BEGIN not in page
        return
    soaks = json.loads(figures.read_text("utf-8"))
    again = "Run `make reliability`."
    assert publish.with_section(page, publish.section(soaks)) == page, again
    drawn = publish.pictures(soaks)
    images = publish.DOCS / "images"
    assert drawn == {name: (images / name).read_text("utf-8") for name in drawn}, again


@pytest.mark.process
@pytest.mark.drill
@pytest.mark.skipif(not DRILL, reason="It takes a minute, and is a drill.")
@pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc.")
def test_a_soak_of_seconds_works(tmp_path):
    file = tmp_path / "soak.json"
    size = ("--minutes", "0.7", "--items", "300")
    done = measured("tests.benchmarks.soak", *size, "--json", str(file))
    assert "met     Failures: 0" in done.stdout, (done.stdout, done.stderr)
    result = json.loads(file.read_text("utf-8"))
    assert set(result["statuses"]) <= {"200", "201", "202", "302"}
    kinds = {"sign-in", "start page", "row", "API read", "API write", "feed", "run"}
    assert kinds <= set(result["latency"])
    assert result["nodes"]["A"]["threads"][-1] > 1
    # The demo company, the items, a package, and perhaps a table.
    assert result["work"]["runs"] in ({"Completed": 3}, {"Completed": 4})
    assert "## 0.7 minutes of work" in publish.section([result])
