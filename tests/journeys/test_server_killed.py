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
from tests.site.host.processes import free_port

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(sys.platform == "win32", reason="There is no kill -9."),
]
OBJECTS = 3000


@contextlib.contextmanager
def served(installation, port, **options):
    with installation.running("serve", **options) as process:
        while not process.stdout.readline().startswith("Platform is served"):
            assert process.poll() is None, process.communicate()
        yield process, Administrator(port)


def test_the_next_server_serves_and_the_import_can_be_repeated(installation):
    port = free_port()
    installation.env["ASPNETCORE_URLS"] = f"http://127.0.0.1:{port}"
    for attempt in range(times(few=1, many=30)):
        names = [f"u{attempt}-{number}" for number in range(OBJECTS)]
        package = units(*names, package=f"load.{attempt}").as_bytes()
        enough = random.randrange(OBJECTS // 2)
        with served(installation, port) as (process, admin):
            begun = admin.upload(package)
            # Read without loading the server: it must not only end between requests.
            wait_until(lambda a=attempt, e=enough: written(installation, a) > e)
            process.kill()
            process.wait()
        before = written(installation, attempt)
        with served(installation, port) as (_, admin):
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
