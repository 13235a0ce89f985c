"""A start that is asked to stop while it loads the demo data: it ends in order between
two objects, and the next start continues there (IMP-234, OPEN-105)."""

from __future__ import annotations

import json
import signal
import sys

import pytest

from tests.journeys.installation import LIMIT_SECONDS, SqliteInstallation, wait_until
from tests.site.host.processes import free_port

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="There is no such signal."),
]


@pytest.fixture
def installation(tmp_path):
    """Return an installation that will load the demo data at its next start."""
    one = SqliteInstallation(tmp_path / "data")
    one.env["Demo__Seed"] = "true"
    one.env["ASPNETCORE_URLS"] = f"http://127.0.0.1:{free_port()}"
    return one


def written(installation):
    ((count,),) = installation.rows(
        "SELECT count(*) FROM changes_changeevent WHERE run_id IS NOT NULL"
    )
    return count


def runs(installation):
    return [
        (status, json.loads(counts)["Inserted"], json.loads(counts)["Unchanged"])
        for status, counts in installation.rows(
            "SELECT status, counts FROM importer_importrun ORDER BY started_at"
        )
    ]


@pytest.mark.parametrize(
    ("command", "status"), [("serve", 0), ("startup", 1), ("seed_demo", 1)]
)
def test_a_start_that_loads_the_demo_stops_between_two_objects(
    installation, command, status
):
    with installation.running(command) as process:
        wait_until(lambda: written(installation) > 5, process)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT_SECONDS)
    assert process.returncode == status, err
    assert "Traceback" not in err
    if command == "serve":
        assert out.endswith("Stopped.\n")
    # Who asked for the end is told of it, and of no failure.
    assert "ERROR" not in err, err
    assert command == "seed_demo" or "demo data was stopped; the next" in err
    there = written(installation)
    assert runs(installation) == [("Interrupted", there, 0)]
    done = installation.command("startup")
    assert done.returncode == 0, done.stderr
    assert [run[0] for run in runs(installation)] == ["Interrupted", "Completed"]
    assert runs(installation)[1][2] == there
