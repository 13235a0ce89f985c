"""Imports whose process is killed, stopped or met by another, on both databases."""

from __future__ import annotations

import json
import re
import signal

import pytest

from tests.builders import a_package
from tests.journeys.installation import (
    BOTH,
    LIMIT_SECONDS,
    SqliteInstallation,
    installed,
    wait_until,
)

pytestmark = pytest.mark.process
OBJECTS = 5000


@pytest.fixture(scope="module", params=BOTH)
def installation(request, tmp_path_factory):
    """Return one installation per database; each test fills a table of its own."""
    data = tmp_path_factory.mktemp("journey") / "data"
    with installed(request.param, data) as one:
        yield one


class Load:
    """A package of many objects, and what has become of it so far."""

    def __init__(self, installation, catalog, table, folder, *, objects=OBJECTS):
        self.rows = installation.rows
        self.objects = objects
        self.catalog = catalog
        self.table = table
        built = a_package(f"load.{catalog}").with_step(catalog)
        for number in range(objects):
            built.item(f"object:{number}", code=f"c{number}", name="Many")
        self.file = built.as_file(folder / "package.json")

    def written(self):
        """Count the rows."""
        ((count,),) = self.rows(f"SELECT count(*) FROM {self.table}")
        return count

    def runs(self):
        """Return the status of each run of the package, oldest first."""
        found = self.rows(
            "SELECT status FROM importer_importrun "
            f"WHERE package = 'load.{self.catalog}' ORDER BY started_at"
        )
        return [status for (status,) in found]

    def until_in_the_middle(self, process):
        """Wait until a tenth is written."""
        wait_until(lambda: self.written() > self.objects // 10, process)

    def assert_complete(self):
        """Check that every object has one row, one mark and one event."""
        (counts,) = self.rows(
            f'SELECT count(*), count(DISTINCT code), count(DISTINCT "Import_Key"), '
            f'count("Import_SourceHash"), count("Import_ImportedAt"), max(version) '
            f"FROM {self.table}"
        )
        assert counts == (*[OBJECTS] * 5, 1)
        (events,) = self.rows(
            "SELECT count(*), count(DISTINCT row_id) FROM changes_changeevent "
            f"WHERE model = '{self.catalog}' AND action = 'created'"
        )
        assert events == (OBJECTS, OBJECTS)


def free(installation):
    """Return whether the database has noticed that the process is gone."""
    if isinstance(installation, SqliteInstallation):
        return True
    return not installation.rows(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database())"
    )


def test_a_killed_import_is_continued_by_the_same_command(installation, tmp_path):
    load = Load(installation, "UnitsOfMeasure", "catalogs_unitofmeasure", tmp_path)
    with installation.running("import_package", load.file) as process:
        load.until_in_the_middle(process)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=LIMIT_SECONDS)
    there = load.written()
    assert 0 < there < OBJECTS
    assert load.runs() == ["Running"]
    unmarked = f'SELECT 1 FROM {load.table} WHERE "Import_Key" IS NULL'
    assert installation.rows(unmarked) == []
    wait_until(lambda: free(installation))
    done = installation.command("import_package", load.file, "--format", "json")
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)["counts"]
    assert (counts["Unchanged"], counts["Inserted"]) == (there, OBJECTS - there)
    assert load.runs() == ["Interrupted", "Completed"]
    load.assert_complete()


def test_a_stopped_import_ends_between_two_objects(installation, tmp_path):
    load = Load(installation, "Warehouses", "catalogs_warehouse", tmp_path)
    with installation.running("import_package", load.file) as process:
        load.until_in_the_middle(process)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT_SECONDS)
        assert process.returncode == 1, err
    there = load.written()
    assert 0 < there < OBJECTS
    assert "was interrupted; start it again to continue" in out
    assert re.search(rf"^Inserted +{there:,}$", out, re.MULTILINE)
    assert "Traceback" not in err
    assert load.runs() == ["Interrupted"]
    done = installation.command("import_package", load.file)
    assert done.returncode == 0, done.stderr
    assert load.runs() == ["Interrupted", "Completed"]
    load.assert_complete()


def test_a_second_process_is_refused_while_the_first_is_running(installation, tmp_path):
    load = Load(
        installation,
        "Counterparties",
        "catalogs_counterparty",
        tmp_path,
        # Enough to outlast two other commands on any machine; most are never reached.
        objects=10 * OBJECTS,
    )
    with installation.running("import_package", load.file) as first:
        load.until_in_the_middle(first)
        for options in ([], ["--dry-run"]):
            second = installation.command("import_package", load.file, *options)
            assert first.poll() is None, "the first was faster"
            assert second.returncode == 75
            told = second.stderr.splitlines()[-1]
            assert "an import of load.Counterparties (run " in told
            assert "started by admin" in told
            assert "Traceback" not in second.stderr
        assert load.runs() == ["Running"]
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=LIMIT_SECONDS)
    assert load.runs() == ["Interrupted"]
