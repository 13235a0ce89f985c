"""What axe-core finds on our pages, light and dark, wide and narrow: nothing serious. And
nobody loses what is typed into a form."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.journeys.browser import Person
from tests.journeys.every_page import every_page
from tests.journeys.installation import SqliteInstallation

pytestmark = pytest.mark.process
SERIOUS = {"serious", "critical"}
# The rules want to load style sheets into the page, which the policy forbids.
AXE = {"bypass_csp": True}
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 800}
LIGHT = {"color_scheme": "light", "viewport": WIDE}
DARK = {"color_scheme": "dark", "viewport": NARROW}


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """Return a served installation of the demo company."""
    data = tmp_path_factory.mktemp("seen") / "data"
    company = SqliteInstallation(data, Demo__Seed="true")
    with company.serving():
        yield company


@pytest.fixture(scope="module")
def pages(installation, browser):
    """Return the addresses of all kinds of pages."""
    return every_page(installation, browser)


def serious(page):
    """Return what hinders people on the page that is open."""
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url}: {each['id']}: {[node['html'][:120] for node in each['nodes']]}"
        for each in found
        if each["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light-wide", "dark-narrow"])
def test_no_page_hinders_anybody_seriously(look, installation, browser, pages):
    person = Person(browser, installation.url, **AXE, **look)
    found = []
    for path in pages:
        person.open(path)
        found += serious(person.page)
    person.context.clear_cookies()
    person.open("/admin/login/")
    expect(person.page.locator("#id_username")).to_be_visible()
    found += serious(person.page)
    person.context.close()
    assert found == []


def test_nobody_loses_input_by_leaving_a_form_unasked(installation, browser):
    query = "SELECT min(id) FROM catalogs_item WHERE NOT is_folder"
    row = f"/admin/catalogs/item/{installation.rows(query)[0][0]}/"
    person = Person(browser, installation.url, **LIGHT)
    asked = []

    def stay(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    person.page.on("dialog", stay)
    person.open(f"{row}change/")
    person.page.click(".breadcrumbs a >> nth=-1")
    expect(person.page).to_have_url(f"{installation.url}{row}")
    assert asked == []  # nothing was typed
    person.open(f"{row}change/")
    person.page.fill("#id_name", "A new name")
    person.page.click(".breadcrumbs a >> nth=-1")
    expect(person.page.locator("#id_name")).to_have_value("A new name")
    assert asked == ["beforeunload"]
    person.page.click("[name=_save]")
    expect(person.page.locator(".row-head")).to_contain_text("A new name")
    assert asked == ["beforeunload"]
    person.context.close()
