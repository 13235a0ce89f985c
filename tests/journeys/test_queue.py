"""The queue of runs in two processes: a dead one's runs are carried out by the other,
and a stopped installation continues with its queue at the next start."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest

from tests.builders import units
from tests.journeys.installation import SqliteInstallation, wait_until
from tests.journeys.test_import_over_http import Administrator
from tests.journeys.test_several_workers import OBJECTS, served

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc."),
]


def package(code):
    return units(code, package=f"garden-{code}").as_bytes()


def started(answer):
    assert answer.status == 202, answer.text
    return json.loads(answer.text)["runId"]


def listed(admin):
    return {run["runId"]: run for run in json.loads(admin.get("runs").text)}


def test_the_queue_is_common_to_all_processes(installation, tmp_path):
    long = units(*(f"u-{n}" for n in range(OBJECTS)), package="garden").as_bytes()
    with served(installation, tmp_path) as one, served(installation, tmp_path) as two:
        mine, yours = Administrator(one.port), Administrator(two.port)
        running = started(mine.upload(long))
        # Alternately in both, so the order isn't that of one process.
        queue = [
            started((mine, yours)[n % 2].upload(package(f"q{n}"), queue=True))
            for n in range(4)
        ]
        for admin in (mine, yours):
            runs = listed(admin)
            assert [runs[run]["position"] for run in queue] == [1, 2, 3, 4]
        # The run and half of the queue were this process's.
        workers = one.workers()
        one.process.kill()
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        wait_until(
            lambda: all(listed(yours)[run]["status"] == "Completed" for run in queue)
        )
        runs = listed(yours)
        assert runs[running]["status"] == "Interrupted"
        begun = sorted(queue, key=lambda run: runs[run]["startedAt"])
        assert begun == queue
        assert [runs[run]["counts"]["Inserted"] for run in queue] == [1] * 4


def test_a_stopped_server_continues_with_its_queue_at_the_next_start(tmp_path):
    place = SqliteInstallation(tmp_path / "data")
    long = units(*(f"u-{n}" for n in range(OBJECTS)), package="garden").as_bytes()
    with place.serving() as process:
        admin = Administrator(place.port)
        admin.upload(long)
        started(admin.upload(package("q"), queue=True))
        process.terminate()
        process.communicate()
    stored = "SELECT status FROM importer_importrun ORDER BY started_at"
    assert place.rows(stored) == [("Interrupted",), ("Queued",)]
    with place.serving() as process:
        wait_until(lambda: place.rows(stored)[-1] == ("Completed",), process)
