"""The menu and the person menu in a browser: the drawer on a phone, what is remembered,
and all of it by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.browser import Person
from tests.journeys.installation import SqliteInstallation
from tests.journeys.test_accessibility import AXE, NARROW, WIDE, serious

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """Return a served installation without data."""
    data = tmp_path_factory.mktemp("menu") / "data"
    one = SqliteInstallation(data)
    with one.serving():
        yield one


@pytest.fixture
def person(installation, browser):
    somebody = Person(
        browser,
        installation.url,
        viewport=WIDE,
        locale="en",
        **AXE,
    )
    yield somebody
    assert somebody.complaints == []
    somebody.context.close()


def test_the_drawer_opens_and_closes_by_keyboard(person):
    page = person.page
    page.set_viewport_size(NARROW)
    person.open("/admin/catalogs/item/")
    menu, button = page.locator("#nav-sidebar"), page.locator("#menu-button")
    expect(menu).to_be_hidden()
    button.focus()
    page.keyboard.press("Enter")
    expect(menu.get_by_role("link", name="Items", exact=True)).to_be_in_viewport()
    assert serious(page) == []
    page.keyboard.press("Tab")
    expect(menu.get_by_role("link", name="Overview")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(button).to_be_focused()


def test_an_area_stays_collapsed_unless_one_is_in_it(person):
    page = person.page
    person.open("/admin/catalogs/item/")
    sales = page.locator("#nav-sidebar [data-area=sales]")
    sales.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(sales.get_by_role("link", name="Sales orders")).to_be_hidden()
    person.open("/admin/catalogs/warehouse/")
    expect(sales.get_by_role("link", name="Sales orders")).to_be_hidden()
    person.open("/admin/documents/goodsissue/")
    expect(sales.get_by_role("link", name="Sales orders")).to_be_visible()


def test_the_person_menu_offers_the_zone_of_the_browser_once(person):
    page = person.page
    person.open("/admin/catalogs/item/")
    summary = page.locator(".person-menu > summary")
    summary.focus()
    page.keyboard.press("Enter")
    assert serious(page) == []
    page.get_by_role("button", name="Use Asia/Tokyo").press("Enter")
    expect(page).to_have_url(re.compile("/admin/catalogs/item/$"))
    summary.press("Enter")
    expect(page.get_by_text("Time zone: Asia/Tokyo")).to_be_visible()
    expect(page.locator(".zone-offer")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Time zone: Asia/Tokyo")).to_be_hidden()
    expect(summary).to_be_focused()


def test_the_chosen_theme_stays(person):
    page = person.page
    page.locator(".person-menu > summary").click()
    page.get_by_role("button", name="Dark").click()
    person.open("/admin/catalogs/item/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.locator(".person-menu > summary").click()
    dark = page.get_by_role("button", name="Dark")
    expect(dark).to_have_attribute("aria-pressed", "true")
