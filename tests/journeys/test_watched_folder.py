"""A watched folder whose processes are killed, or are two at a time: no file is lost, and
none is imported twice.

``DRILL_KILLS=100`` sets how many are killed on each database, in the suite one.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter

import pytest

from tests.drill import times
from tests.environment import asked
from tests.journeys.installation import wait_until

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(sys.platform == "win32", reason="There is no kill -9."),
]
KILLS = int(asked("DRILL_KILLS") or times(few=1, many=50))
FILES, ROWS = 3, 400
SOURCE = {
    "name": "units",
    "target": "UnitsOfMeasure",
    "columns": [
        {"column": "Code", "property": "code"},
        {"column": "Name", "property": "name"},
    ],
    "key": ["code"],
    "origin": {"folder": "units", "user": "admin"},
}
SAVE = f"from importer.services import create_source; create_source({SOURCE!r})"
# What the job of the source does every minute.
EXECUTE = """
import json
from django.contrib.auth import get_user_model
from platform_site.processing.services import execute
admin = get_user_model().objects.get(username="admin")
found = execute("units", {}, user=admin).result
print(json.dumps([one["file"] for one in found["files"]]))
"""


class Inbox:
    """The folder of the source in an installation, and what became of its files."""

    def __init__(self, installation):
        self.installation = installation
        self.path = installation.data / "inbox" / "units"
        done = installation.command("shell", "-c", SAVE)
        assert done.returncode == 0, done.stderr

    def put(self, name, begin):
        """Write a table of units, as if it were old enough to be complete."""
        rows = (f"{begin}-{number};Unit {number}\n" for number in range(ROWS))
        file = self.path / f"{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("Code;Name\n" + "".join(rows), encoding="utf-8")
        then = time.time() - 600
        os.utime(file, (then, then))

    def execute(self):
        """Import what lies there, in a process that runs to its end."""
        return imported(self.installation.command("shell", "-c", EXECUTE))

    def written(self, begin):
        """Return how many units of a table there are."""
        query = (
            f"SELECT count(*) FROM catalogs_unitofmeasure WHERE code LIKE '{begin}-%'"
        )
        ((number,),) = self.installation.rows(query)
        return number

    def check(self, names):
        """Assert that each table is there once, and its rows have been written once."""
        assert [one.name for one in self.path.iterdir() if one.is_file()] == []
        assert list((self.path / "failed").iterdir()) == []
        there = {one.name for one in (self.path / "done").iterdir()}
        tables = {name for name in there if not name.endswith(".report.csv")}
        # A report alone is that of a process that was killed just before.
        assert {f"{name}.report.csv" for name in tables} <= there
        found = Counter(name.rpartition("Z-")[2] for name in tables)
        assert found == Counter(f"{name}.csv" for name in names)
        assert {self.written(name) for name in names} == {ROWS}
        ((events,),) = self.installation.rows(
            "SELECT count(*) FROM changes_changeevent WHERE model = 'UnitsOfMeasure'"
        )
        assert events == ROWS * len(names)


def imported(done):
    """Return the files that an execution imported."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def inbox(installation):
    return Inbox(installation)


def test_a_killed_import_of_a_folder_is_carried_on_by_the_next(inbox):
    names = []
    for kill in range(KILLS):
        files = [f"k{kill}f{number}" for number in range(FILES)]
        names += files
        for name in files:
            inbox.put(name, name)
        last, enough = random.choice(files), random.randrange(ROWS)
        with inbox.installation.running("shell", "-c", EXECUTE) as process:
            wait_until(lambda n=last, e=enough: inbox.written(n) > e)
            process.kill()
            process.wait()
        inbox.execute()
        inbox.check(names)


def test_two_processes_import_each_file_once(inbox):
    names = [f"f{number}" for number in range(2 * FILES)]
    for name in names:
        inbox.put(name, name)
    with (
        inbox.installation.running("shell", "-c", EXECUTE) as one,
        inbox.installation.running("shell", "-c", EXECUTE) as two,
    ):
        shares = [
            json.loads(each.communicate()[0].splitlines()[-1]) for each in (one, two)
        ]
    # Whoever comes second leaves the files to the first.
    shares.append(inbox.execute())
    assert sorted(name for share in shares for name in share) == sorted(
        f"{name}.csv" for name in names
    )
    inbox.check(names)
