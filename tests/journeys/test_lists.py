"""What only a browser shows of a list: the bar that comes with a selection, menus that
close by keyboard, the button that undoes, and cards on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.journeys.test_accessibility import NARROW

pytestmark = pytest.mark.process
LIST = "/admin/catalogs/warehouse/"


@pytest.fixture
def shed(admin):
    """Return the administrator, who has entered a warehouse, at its list."""
    admin.open(f"{LIST}add/")
    admin.page.fill("#id_code", "SHED")
    admin.page.fill("#id_name", "Shed")
    admin.page.locator("[name=_save]").click()
    admin.open(LIST)
    admin.sees("1", ".list-count")
    return admin


def test_rows_are_selected_deleted_and_restored_without_a_mouse(shed):
    page, bar = shed.page, shed.page.locator("#changelist-form .actions")
    expect(bar).to_be_hidden()
    shed.tab_to(".action-select")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{shed.url}{LIST}")
    page.keyboard.press("Space")
    expect(bar).to_be_visible()
    shed.sees("1 of 1 selected", "#changelist-form .actions")
    shed.tab_to("button[value=delete_selected]")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Delete").click()
    shed.sees("1 warehouse deleted.")
    shed.tab_to(".undo button")
    page.keyboard.press("Enter")
    shed.sees("1 warehouse restored.")
    shed.sees("SHED", "#result_list")

    # The menu of filters, and a row as a card.
    shed.open(LIST)
    page.set_viewport_size(NARROW)
    shed.tab_to(".chips summary")
    page.keyboard.press("Enter")
    menu = page.locator(".filter-menu")
    expect(menu).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(page.locator(".chips summary").first).to_be_focused()
    wider = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wider
    expect(page.locator("#result_list thead")).to_be_hidden()
