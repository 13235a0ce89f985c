"""A long import over three nodes: started on one, watched on another, cancelled from the
third, and run again to its end.

``DRILL_OBJECTS=100000`` sets how many objects it has, in the suite few.
"""

from __future__ import annotations

import contextlib
import sys
import time

import psycopg
import pytest

from tests.builders import a_package, ref
from tests.drill import DRILL, seconds, times
from tests.environment import asked
from tests.journeys.installation import (
    LIMIT_SECONDS,
    PostgresInstallation,
    installed,
    wait_until,
)
from tests.journeys.test_import_over_http import Administrator
from tests.nodes.test_imports import is_at_rest, states
from tests.postgres_server import TO_SERVER

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc."),
]
OBJECTS = int(asked("DRILL_OBJECTS") or times(few=6_000, many=100_000))
UNITS = 50
ITEMS = OBJECTS - UNITS
# Ten milliseconds for each object: a hang is a failure, a busy machine isn't.
LONG = LIMIT_SECONDS + OBJECTS // 100
# A run reads once a second whether somebody has cancelled it.
CANCEL = 10
# Everything of the rows but keys and times, which differ in every database.
CONTENT = """
SELECT md5(string_agg(content, '' ORDER BY content COLLATE "C"))
FROM (
    SELECT (to_jsonb(i) - '{id,created,modified,Import_ImportedAt,unit_of_measure_id}'
        ::text[] || jsonb_build_object('unit', u.code))::text AS content
    FROM catalogs_item i JOIN catalogs_unitofmeasure u ON u.id = i.unit_of_measure_id
    WHERE i.code LIKE 'long-%'
) AS rows
"""


def package():
    built = a_package("long").with_step("UnitsOfMeasure")
    for number in range(UNITS):
        built.unit(f"u{number}", f"long-{number}")
    built.with_step("Items")
    for number in range(ITEMS):
        built.goods(f"i{number}", f"long-{number:06}", ref(f"u{number % UNITS}"))
    return built


def written(installation):
    """Return the codes of the items, in the order in which they were written."""
    query = "SELECT code FROM catalogs_item WHERE code LIKE 'long-%' ORDER BY id"
    return [code for (code,) in installation.rows(query)]


def events(installation):
    """Return how many rows of the package were created, and in how many events."""
    query = (
        "SELECT count(DISTINCT (model, row_id)), count(*) FROM changes_changeevent"
        " WHERE action = 'created' AND run_id IN"
        " (SELECT run_id FROM importer_importrun WHERE package = 'long')"
    )
    return installation.rows(query)[0]


def content_when_undisturbed(tmp_path):
    """Return the content of a new installation after an import without interruption."""
    file = package().as_file(tmp_path / "long.json")
    with installed(PostgresInstallation, tmp_path / "undisturbed" / "data") as fresh:
        with fresh.running("import_package", file) as process:
            wait_until(lambda: process.poll() is not None, seconds=LONG)
            assert process.returncode == 0, process.communicate()
        assert len(written(fresh)) == ITEMS
        return fresh.rows(CONTENT)


def watched(node, page, run, cluster):
    """Watch a run on a node until a third is written; return what it said was done."""
    told = []

    def is_far():
        said = node.run(run)
        assert said["status"] == "Running"
        told.append(said["progress"]["done"] if said["progress"]["total"] else 0)
        assert page.page(f"/admin/import?run={run}").status == 200
        return told[-1] and len(written(cluster)) > OBJECTS // 3

    wait_until(is_far, seconds=LONG)
    return told


@contextlib.contextmanager
def held_up(cluster):
    """Let nobody write items while the block lasts, so that the import is in its middle
    however fast the machine is."""
    name = cluster.installation.database
    with psycopg.connect(f"{TO_SERVER} dbname={name}") as held:
        held.execute("LOCK TABLE catalogs_item IN SHARE MODE")
        yield


def test_it_is_watched_cancelled_and_continued_on_any_node(cluster, tmp_path):
    begun = time.monotonic()
    expected = content_when_undisturbed(tmp_path)
    say(f"{OBJECTS} objects undisturbed after {time.monotonic() - begun:.0f} s")
    one, two, three = cluster.nodes
    content = package().as_bytes()

    run = one.upload(content)
    told = watched(two, Administrator(two.port), run, cluster)
    assert told == sorted(told)
    # It is told once a second; few objects take hardly longer.
    assert not DRILL or len(set(told)) > 3
    with held_up(cluster):
        assert three.call("POST", f"Import/runs/{run}/cancel")[0] == 202
        cancelled = time.monotonic()
        second = "SELECT 1 FROM importer_importrun WHERE run_id = '{}' AND"
        second += " stop_requested_at < clock_timestamp() - interval '1 second'"
        wait_until(lambda: cluster.rows(second.format(run)))
    wait_until(lambda: states(cluster, "long") == ["Interrupted"])
    ended = time.monotonic() - cancelled
    assert ended < seconds(CANCEL)

    # A part was written: the first objects, each with its event and in the report.
    codes = written(cluster)
    part = UNITS + len(codes)
    assert codes == [f"long-{number:06}" for number in range(len(codes))]
    assert OBJECTS // 3 < part < OBJECTS
    assert events(cluster) == (part, part)
    for node in cluster.nodes:
        assert node.run(run)["counts"]["Inserted"] == part
        assert last_item(node, run, part)["outcome"] == "Inserted"
    # A person has stopped it, so nobody repeats it.
    wait_until(lambda: is_at_rest(cluster))
    assert states(cluster, "long") == ["Interrupted"]
    say(f"cancelled after {part} objects, ended {ended:.1f} s later; {len(told)} looks")

    begun = time.monotonic()
    again = two.upload(content)
    wait_until(lambda: states(cluster, "long")[1:] == ["Completed"], seconds=LONG)
    say(f"the rest after {time.monotonic() - begun:.0f} s")
    assert cluster.rows(CONTENT) == expected
    assert events(cluster) == (OBJECTS, OBJECTS)
    for node in cluster.nodes:
        counts = node.run(again)["counts"]
        assert (counts["Unchanged"], counts["Inserted"]) == (part, OBJECTS - part)
        assert last_item(node, again, OBJECTS)["outcome"] == "Inserted"
        for number in (0, len(codes), ITEMS - 1):
            status, found = node.call("GET", f"Items?code=long-{number:06}")
            assert (status, found["count"]) == (200, 1)


def last_item(node, run, count):
    """Return the last item of a report, after asserting that it has so many."""
    status, told = node.call("GET", f"Import/runs/{run}?offset={count - 1}&limit=5")
    assert status == 200
    (last,) = told["report"]["items"]
    return last


def say(line):
    sys.stdout.write(f"{time.strftime('%X')} {line}\n")
    sys.stdout.flush()
