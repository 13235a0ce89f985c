"""A server whose disk fills up in the middle of an import: it says so, stays up, and goes
on once there is room (OPEN-44, IMP-282)."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from urllib.parse import urlencode

import pytest

from tests.builders import units
from tests.drill import seconds
from tests.environment import inherited
from tests.journeys.installation import SqliteInstallation, wait_until
from tests.journeys.test_server_killed import served

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="There is no tmpfs to fill."),
]
SIZE = "24m"
OBJECTS = 10_000
REASON = "the disk is full"


@pytest.fixture
def small_disk(tmp_path):
    """Return a folder on a disk of its own, which is small."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if (
        os.geteuid()
        or subprocess.run(mount, capture_output=True, env=inherited()).returncode
    ):
        pytest.skip("a small disk can be mounted by root alone")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, env=inherited())


def fill(folder):
    """Take all room that is left, and return the file that took it."""
    filler = folder / "filler"
    with filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    return filler


def written(installation):
    ((count,),) = installation.rows(
        "SELECT count(*) FROM catalogs_unitofmeasure WHERE code LIKE 'u-%'"
    )
    return count


def admin_page(admin, path):
    return admin._send("GET", path)


@pytest.mark.parametrize("restarts", [False, True], ids=["", "with a restart"])
def test_the_run_ends_with_the_reason_and_continues_when_repeated(small_disk, restarts):
    installation = SqliteInstallation(small_disk / "data")
    # Uploads lie in the data folder (HOST-038), so on the disk that will be full.
    package = units(*(f"u-{n}" for n in range(OBJECTS)), package="garden").as_bytes()
    with served(installation) as (process, admin):
        assert admin_page(admin, "/admin/").status == 200
        begun = admin.upload(package)
        wait_until(lambda: written(installation) > 500, process)
        filler = fill(small_disk)
        since = time.monotonic()
        run = admin.ended(begun)
        assert time.monotonic() - since < seconds(10)
        assert run["status"] == "Failed"
        assert REASON in run["report"]["diagnostics"][0]["message"]
        there = written(installation)
        assert run["counts"]["Inserted"] == there == len(run["report"]["items"])
        assert 500 < there < OBJECTS
        page = admin_page(admin, f"/admin/import?run={run['runId']}")
        assert (page.status, REASON[1:] in page.text) == (200, True)
        assert "The import of garden by admin" in admin_page(admin, "/admin/").text
        begins_to_fail_again(admin, package)
        before, there = there, written(installation)
        assert admin.upload(package, dry_run=True).status == 507
        filler.unlink()
        dry = admin.ended(admin.upload(package, dry_run=True))
        assert dry["status"] == "Completed"
        assert dry["counts"]["Unchanged"] == there
        if not restarts:
            wait_until(lambda: set(stored(installation)) == {"Failed"}, process)
            assert REASON in admin.get(f"runs/{run['runId']}").text
            small = admin.ended(admin.upload(first(package, there + 100)))
            assert small["counts"]["Unchanged"] == there
            assert small["counts"]["Inserted"] == 100
        else:
            process.kill()
            process.wait()
    if restarts:
        with served(installation) as (_process, admin):
            told = admin.run(begun)
            assert told["status"] in ("Failed", "Interrupted")
            assert told["counts"]["Inserted"] == before
            small = admin.ended(admin.upload(first(package, there + 100)))
            assert small["counts"]["Unchanged"] == there
            assert small["counts"]["Inserted"] == 100
    assert installation.rows("PRAGMA integrity_check") == [("ok",)]


def begins_to_fail_again(admin, package):
    """Start the run once more; the log of the database may have room for its record."""
    again = admin.upload(package)
    if again.status != 507:
        assert REASON in admin.ended(again)["report"]["diagnostics"][0]["message"]


def test_pages_programs_and_probes_hear_of_it(small_disk):
    installation = SqliteInstallation(small_disk / "data")
    with served(installation) as (process, admin):
        assert admin_page(admin, "/health/ready").text == "Healthy"
        filler = fill(small_disk)
        # The log of the database has some room in itself.
        answers = (unit_by_program(admin, f"u-{n}") for n in range(OBJECTS))
        refused = next(answer for answer in answers if answer.status != 201)
        assert (refused.status, json.loads(refused.text)["code"]) == (
            507,
            "out-of-space",
        )
        there = written(installation)
        page = create_unit(admin, "u-last")
        assert (page.status, "disk is full" in page.text) == (507, True)
        assert written(installation) == there
        wait_until(lambda: admin_page(admin, "/health/ready").status == 503, process)
        assert admin_page(admin, "/health/live").status == 200
        # Reading goes on, and the start page says what is wrong.
        start = admin_page(admin, "/admin/")
        assert (start.status, f"disk of {small_disk}" in start.text) == (200, True)
        filler.unlink()
        wait_until(lambda: admin_page(admin, "/health/ready").status == 200, process)
        assert create_unit(admin, "u-last").status == 302
        assert written(installation) == there + 1
    assert installation.rows("PRAGMA integrity_check") == [("ok",)]


def unit_by_program(admin, code):
    body = json.dumps({"code": code, "name": "A unit"}).encode()
    kind = {"Content-Type": "application/json"}
    return admin._send("POST", "/api/v1/UnitsOfMeasure", body, kind)


def create_unit(admin, code):
    body = urlencode({"code": code, "name": "A unit"}).encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    return admin._send("POST", "/admin/catalogs/unitofmeasure/add/", body, kind)


def stored(installation):
    return [
        s
        for (s,) in installation.rows(
            "SELECT status FROM importer_importrun WHERE NOT dry_run"
        )
    ]


def first(package, count):
    """Return a package with only the first of its objects."""
    whole = json.loads(package)
    (step,) = whole["steps"]
    step["items"] = step["items"][:count]
    return json.dumps(whole).encode()
