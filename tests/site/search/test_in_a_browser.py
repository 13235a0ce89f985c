"""The search above all pages by keyboard alone, and on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.journeys.browser import Person, chromium
from tests.journeys.installation import SqliteInstallation

pytestmark = pytest.mark.process
PHONE = {"viewport": {"width": 390, "height": 800}}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """Serve an installation in which nobody is led to the wizard."""
    data = tmp_path_factory.mktemp("search") / "data"
    installation = SqliteInstallation(data)
    with installation.serving():
        yield installation.url


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


def test_the_search_needs_no_mouse(browser, url):
    person = Person(browser, url)
    page, keys = person.page, person.page.keyboard
    box = page.get_by_role("combobox", name="Search everything")
    page.wait_for_load_state("networkidle")

    keys.press("/")
    expect(box).to_be_focused()
    keys.type("goods issues")
    found = page.get_by_role("option", name="Goods issues", exact=True)
    expect(found).to_be_visible()
    expect(box).to_have_attribute("aria-expanded", "true")
    expect(page.locator("[data-search-status]")).to_contain_text("result")

    keys.press("ArrowDown")
    chosen = page.locator("[role=option][aria-selected=true]")
    expect(chosen).to_have_count(1)
    expect(box).to_have_attribute(
        "aria-activedescendant", chosen.get_attribute("id") or ""
    )
    keys.press("Escape")
    expect(found).to_be_hidden()
    expect(box).to_have_attribute("aria-expanded", "false")

    # What is typed elsewhere stays there, apart from Ctrl-K.
    page.goto(f"{url}/admin/catalogs/currency/add/")
    page.wait_for_load_state("networkidle")
    page.fill("#id_name", "")
    page.focus("#id_name")
    keys.type("a/b")
    expect(page.locator("#id_name")).to_have_value("a/b")
    keys.press("Control+k")
    keys.type("goods issues")
    expect(page.get_by_role("option", name="Goods issues", exact=True)).to_be_visible()
    keys.press("Enter")
    page.wait_for_url("**/admin/search/?q=goods+issues")
    page.wait_for_load_state("networkidle")
    keys.press("/")
    keys.type("goods issues")
    keys.press("Control+a")
    keys.type("new goods issue")
    expect(page.get_by_role("option", name="New goods issue")).to_be_visible()
    keys.press("ArrowDown")
    keys.press("Enter")
    page.wait_for_url("**/admin/documents/goodsissue/add/")
    assert person.complaints == []
    person.context.close()


def test_on_a_phone_the_search_is_a_sheet(browser, url):
    person = Person(browser, url, **PHONE)
    page = person.page
    page.wait_for_load_state("networkidle")
    opener = page.get_by_role("link", name="Search everything")
    opener.click()
    box = page.get_by_role("combobox", name="Search everything")
    expect(box).to_be_focused()
    assert box.bounding_box()["width"] > 300
    page.get_by_role("search").get_by_role("button", name="Close").click()
    expect(box).to_be_hidden()
    expect(opener).to_be_focused()
    assert person.complaints == []
    person.context.close()
