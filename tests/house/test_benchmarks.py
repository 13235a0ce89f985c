"""The benchmarks keep in step with the code they measure."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.benchmarks import goals, publish
from tests.drill import DRILL
from tests.environment import inherited_by_tests
from tests.site.host.processes import LIMIT_SECONDS

pytestmark = pytest.mark.process
# What a part takes at least, with a line of what it prints.
PARTS = {
    "big": ("300", "Cost per object, big package : small package"),
    "lists": ("100", "First import of a table as XLSX"),
    "documents": ("4", "Documents of ten lines, posted"),
    "creations": ("2", "Fixed cost: identical run of 50 objects"),
    "served": ("200", "Writes beside an import: the worst"),
}


IN_DRILLS = [
    pytest.mark.drill,
    pytest.mark.skipif(not DRILL, reason="It takes a minute, and is a drill."),
]


@pytest.mark.parametrize(
    "part",
    [pytest.param(part, marks=() if part == "lists" else IN_DRILLS) for part in PARTS],
)
def test_every_measurement_works(part, tmp_path):
    size, line = PARTS[part]
    done, figures = measured_parts(tmp_path, **{part: size})
    assert line in done.stdout, done.stderr
    assert figures["providers"]["Sqlite"]


def measured_parts(tmp_path, **sizes):
    """Measure parts on SQLite, and return what was said and what was written."""
    file = tmp_path / "benchmarks.json"
    asked = {**dict.fromkeys([*PARTS, "objects", "pages"], "0"), "small": "100"}
    asked.update(sizes)
    words = [word for name, size in asked.items() for word in (f"--{name}", size)]
    words += ["--events", "20000", "--rounds", "1", "--provider", "Sqlite"]
    done = measured("tests.benchmarks", *words, "--json", str(file))
    assert file.exists(), done.stderr
    return done, json.loads(file.read_text("utf-8"))


def test_a_goal_that_is_missed_fails_the_command_by_its_name(tmp_path):
    # So few objects cost more than reading them, whatever is done for many.
    done, _ = measured_parts(tmp_path, objects="100")
    assert done.returncode == 1
    assert (
        "Missed: Identical import : reading and hashing alone on Sqlite" in done.stderr
    )


FIRST = next(one for one in goals.GOALS if one.at_least)


@pytest.mark.parametrize(
    ("ratios", "is_missed"), [((3, 4, 5), False), ((3, 3.9, 9), True)]
)
def test_the_median_of_the_rounds_decides(ratios, is_missed):
    taken = {FIRST.figure: list(ratios), FIRST.beside: [1.0, 1.0, 1.0]}
    (found,) = goals.found("Sqlite", {FIRST.group: taken})
    assert (found.low, found.high) == (min(ratios), max(ratios))
    assert found.is_missed is is_missed
    assert len(goals.missed({"Sqlite": {FIRST.group: taken}})) == is_missed


def test_the_page_and_its_charts_are_current():
    again = "Run `python -m tests.benchmarks.publish docs/performance.json`."
    assert publish.PAGE.read_text("utf-8") == publish.render(), again
    charts = publish.charts()
    assert charts == {path: path.read_text("utf-8") for path in charts}, again


def test_what_is_measured_again_replaces_the_old_and_says_when():
    old = {"date": "Monday", "commit": "a1", "load": 0.1}
    old["providers"] = {"Sqlite": {"memory": {"first": [1]}, "lists": {"CSV": [2]}}}
    new = {"date": "Friday", "commit": "b2", "load": 0.2}
    new["providers"] = {"Sqlite": {"memory": {"first": [3]}}}
    publish.replace(old, new)
    groups = {"memory": {"first": [3]}, "lists": {"CSV": [2]}}
    assert old["providers"] == {"Sqlite": groups}
    (row,) = publish.measured_again(old["again"])
    assert row == "| Measured again | Friday, commit b2: Peak memory (SQLite) |"


@pytest.mark.drill
@pytest.mark.skipif(not DRILL, reason="It takes half a minute, and is a drill.")
def test_pages_and_lists_are_measured():
    done = measured(
        "tests.benchmarks.pages", "--rows", "600", "--events", "4000", "--times", "1"
    )
    assert done.returncode == 0, done.stderr
    assert "above their limits" in done.stdout


def test_the_check_of_a_database_is_measured_beside_a_writer():
    done = measured("tests.benchmarks.database_check", "--mib", "2", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    assert "commits beside it" in done.stdout


def measured(module, *arguments):
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=APPLICATION_FOLDER,
        env=inherited_by_tests(),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
