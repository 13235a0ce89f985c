"""The layout of every page in three languages, wide and narrow: nothing overflows, no
column is hidden, no word is broken, and the browser has nothing to complain of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.browser import Person
from tests.journeys.every_page import every_page
from tests.journeys.installation import SqliteInstallation
from tests.journeys.test_accessibility import NARROW, WIDE

pytestmark = pytest.mark.process
# The tables behind plots are folded at first.
OPEN = (
    "document.querySelectorAll('.plot-more details').forEach((e) => { e.open = true; })"
)
WRONG = Path(__file__).with_name("layout.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """Return a served installation of the demo company."""
    data = tmp_path_factory.mktemp("laid-out") / "data"
    company = SqliteInstallation(data, Demo__Seed="true")
    with company.serving():
        yield company


@pytest.fixture(scope="module")
def pages(installation, browser):
    """Return the addresses of all kinds of pages."""
    return every_page(installation, browser)


@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_every_page_is_laid_out_well(language, installation, browser, pages):
    person = Person(browser, installation.url, locale=language)
    found = []
    for path in pages:
        person.open(path)
        person.page.evaluate(OPEN)
        for size in (WIDE, NARROW):
            person.page.set_viewport_size(size)
            wrong = person.page.evaluate(WRONG)
            found += [f"{path} at {size['width']} {each}" for each in wrong]
    person.context.close()
    assert "\n".join(found) == ""
    assert person.complaints == []
