"""Imports whose process is killed, stopped or met by another, on both databases."""

from __future__ import annotations

import json
import os
import re
import signal

import pytest

from tests.builders import a_package
from tests.journeys.installation import (
    LIMIT_SECONDS,
    PostgresInstallation,
    SqliteInstallation,
    server_trouble,
    wait_until,
)

pytestmark = pytest.mark.process
OBJECTS = 5000
UNITS = "catalogs_unitofmeasure"


@pytest.fixture(params=["Sqlite", "PostgreSql"])
def installation(request, tmp_path):
    if request.param == "Sqlite":
        yield SqliteInstallation(tmp_path / "data")
        return
    trouble = server_trouble()
    if trouble:
        # In CI a skipped test would pass for a good one.
        assert os.environ.get("CI", "").casefold() != "true", trouble
        pytest.skip(trouble)
    one = PostgresInstallation(tmp_path / "data")
    yield one
    one.drop()


@pytest.fixture
def package(tmp_path):
    built = a_package().with_step("UnitsOfMeasure")
    for number in range(OBJECTS):
        built.unit(f"unit:{number}", f"u{number}")
    return built.as_file(tmp_path / "package.json")


def written(installation):
    ((count,),) = installation.rows(f"SELECT count(*) FROM {UNITS}")
    return count


def runs(installation):
    found = installation.rows(
        "SELECT status FROM importer_importrun ORDER BY started_at"
    )
    return [status for (status,) in found]


def assert_complete(installation):
    """Every object has one row, one mark and one event: nothing is there twice."""
    (counts,) = installation.rows(
        f'SELECT count(*), count(DISTINCT code), count(DISTINCT "Import_Key"), '
        f'count("Import_SourceHash"), count("Import_ImportedAt"), max(version) '
        f"FROM {UNITS}"
    )
    assert counts == (*[OBJECTS] * 5, 1)
    (events,) = installation.rows(
        "SELECT count(*), count(DISTINCT row_id) FROM changes_changeevent "
        "WHERE model = 'UnitsOfMeasure' AND action = 'created'"
    )
    assert events == (OBJECTS, OBJECTS)


def until_in_the_middle(installation, process):
    wait_until(lambda: written(installation) > OBJECTS // 10, process)


def free(installation):
    """Tell whether the database has noticed that the process is gone."""
    if isinstance(installation, SqliteInstallation):
        return True
    return not installation.rows(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database())"
    )


def test_a_killed_import_is_continued_by_the_same_command(installation, package):
    with installation.running("import_package", package) as process:
        until_in_the_middle(installation, process)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=LIMIT_SECONDS)
    there = written(installation)
    assert 0 < there < OBJECTS
    assert runs(installation) == ["Running"]
    assert installation.rows(f'SELECT 1 FROM {UNITS} WHERE "Import_Key" IS NULL') == []
    wait_until(lambda: free(installation))
    done = installation.command("import_package", package, "--format", "json")
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)["counts"]
    assert (counts["Unchanged"], counts["Inserted"]) == (there, OBJECTS - there)
    assert runs(installation) == ["Interrupted", "Completed"]
    assert_complete(installation)


def test_a_stopped_import_ends_between_two_objects(installation, package):
    with installation.running("import_package", package) as process:
        until_in_the_middle(installation, process)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT_SECONDS)
        assert process.returncode == 1, err
    there = written(installation)
    assert 0 < there < OBJECTS
    assert "was interrupted; start it again to continue" in out
    assert re.search(rf"^Inserted +{there:,}$", out, re.MULTILINE)
    assert "Traceback" not in err
    assert runs(installation) == ["Interrupted"]
    done = installation.command("import_package", package)
    assert done.returncode == 0, done.stderr
    assert runs(installation) == ["Interrupted", "Completed"]
    assert_complete(installation)


def test_a_second_process_is_refused_by_name_while_the_first_goes_on(
    installation, package
):
    with installation.running("import_package", package) as first:
        until_in_the_middle(installation, first)
        for options in ([], ["--dry-run"]):
            second = installation.command("import_package", package, *options)
            assert first.poll() is None, "the first was faster"
            assert second.returncode == 2
            assert "an import, started by admin" in second.stderr.splitlines()[-1]
            assert "Traceback" not in second.stderr
        assert runs(installation) == ["Running"]
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=LIMIT_SECONDS)
    assert runs(installation) == ["Interrupted"]
