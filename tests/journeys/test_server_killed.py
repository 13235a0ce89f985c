"""A server that is killed while it imports: what is lost, and what stands in the way of
the next one."""

from __future__ import annotations

import contextlib
import random
import sys

import pytest

from tests.builders import units
from tests.drill import times
from tests.journeys.installation import SqliteInstallation, wait_until
from tests.journeys.test_import_over_http import Administrator

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(sys.platform == "win32", reason="There is no kill -9."),
]
OBJECTS = 3000


@contextlib.contextmanager
def served(installation, **options):
    with installation.serving(**options) as process:
        yield process, Administrator(installation.port)


def test_the_next_server_serves_and_the_import_can_be_repeated(installation):
    for attempt in range(times(few=1, many=30)):
        names = [f"u{attempt}-{number}" for number in range(OBJECTS)]
        package = units(*names, package=f"load.{attempt}").as_bytes()
        enough = random.randrange(OBJECTS // 2)
        with served(installation) as (process, admin):
            begun = admin.upload(package)
            # Read without loading the server: it must not only end between requests.
            wait_until(lambda a=attempt, e=enough: written(installation, a) > e)
            process.kill()
            process.wait()
        before = written(installation, attempt)
        with served(installation) as (_, admin):
            assert admin.run(begun)["status"] in ("Interrupted", "Completed")
            assert written(installation, attempt) == before
            again = admin.ended(admin.upload(package))
        assert again["status"] == "Completed"
        assert again["counts"]["Unchanged"] == before
        assert again["counts"]["Inserted"] == OBJECTS - before
        assert written(installation, attempt) == OBJECTS
    if isinstance(installation, SqliteInstallation):
        assert installation.rows("PRAGMA integrity_check") == [("ok",)]


def written(installation, attempt):
    ((count,),) = installation.rows(
        f"SELECT count(*) FROM catalogs_unitofmeasure WHERE code LIKE 'u{attempt}-%'"
    )
    return count
