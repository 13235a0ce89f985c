"""What browser stories stand on: a served installation on either database, a browser, and
an administrator signed in."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.journeys.browser import Person, chromium
from tests.journeys.installation import BOTH, installed


@pytest.fixture(params=BOTH)
def installation(request, tmp_path):
    """Return an installation of the test's own."""
    with installed(request.param, tmp_path / "data") as one:
        yield one


@pytest.fixture(scope="module", params=BOTH)
def served(request, tmp_path_factory):
    """Return an installation that is served, and its address."""
    data = tmp_path_factory.mktemp("journey") / "data"
    with installed(request.param, data) as one, one.serving() as process:
        yield SimpleNamespace(installation=one, url=one.url, process=process)


@pytest.fixture(scope="module", params=BOTH)
def shop(request, tmp_path_factory):
    """Return a served installation of the demo company."""
    data = tmp_path_factory.mktemp("shop") / "data"
    with (
        installed(request.param, data, Demo__Seed="true") as company,
        company.serving(),
    ):
        yield company


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
