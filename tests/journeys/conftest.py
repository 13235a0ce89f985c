"""What browser stories stand on: a served installation on either database, a browser, and
an administrator signed in."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.environment import in_ci
from tests.journeys.browser import Person, chromium
from tests.journeys.installation import (
    PostgresInstallation,
    SqliteInstallation,
    server_trouble,
)
from tests.site.host.test_serve import free_port


@pytest.fixture(scope="module", params=["Sqlite", "PostgreSql"])
def served(request, tmp_path_factory):
    """Return an installation that is served, and its address."""
    data = tmp_path_factory.mktemp("journey") / "data"
    if request.param == "Sqlite":
        installation = SqliteInstallation(data)
    else:
        trouble = server_trouble()
        if trouble:
            # In CI a skipped test would pass for a good one.
            assert not in_ci(), trouble
            pytest.skip(trouble)
        installation = PostgresInstallation(data)
    url = f"http://127.0.0.1:{free_port()}"
    installation.env["ASPNETCORE_URLS"] = url
    try:
        with installation.running("serve") as process:
            while not process.stdout.readline().startswith("Platform is served"):
                assert process.poll() is None, process.communicate()
            yield SimpleNamespace(installation=installation, url=url, process=process)
    finally:
        if request.param != "Sqlite":
            installation.drop()


@pytest.fixture(scope="module")
def browser():
    """Open one browser for the stories of a module."""
    with chromium() as one:
        yield one


@pytest.fixture
def admin(browser, served):
    """Sign in the administrator; fail where a page complained."""
    person = Person(browser, served.url)
    yield person
    person.context.close()
    assert person.complaints == []
