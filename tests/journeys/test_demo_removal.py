"""An administrator takes the demo data out again, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.journeys.browser import Person, chromium
from tests.journeys.installation import SqliteInstallation

pytestmark = pytest.mark.process
PAGE = "/admin/demo/demoinstallation/"
SHOW, REMOVE = "Show what would be removed", "Remove the demo data"


@pytest.fixture
def admin(tmp_path):
    """Return an administrator of a served demo company."""
    installation = SqliteInstallation(tmp_path / "data", Demo__Seed="true")
    with installation.serving(), chromium() as browser:
        person = Person(browser, installation.url, first="/")
        yield person
        assert person.complaints == []


def test_the_demo_data_is_looked_at_and_then_removed(admin):
    page = admin.page
    edited = page.get_by_role("row", name="Items 40100 a name of my own")
    its_folder = page.get_by_role("row", name="Items SHOP-PACK-MAT")
    page.get_by_role("link", name="Demo data").last.click()
    admin.sees("The package demo-company was seeded")
    expect(page.get_by_role("button", name=REMOVE)).to_have_count(0)
    admin.open("/admin/catalogs/item/?q=40100")
    page.locator("#result_list tbody th a").first.click()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.fill("#id_name", "a name of my own")
    page.locator("[name=_save]").click()
    admin.sees("successfully")

    # First it is only said.
    admin.open(PAGE)
    admin.press(SHOW)
    admin.sees("What would be removed")
    admin.sees("Users who would be disabled: bookkeeping, sales, visitor, warehouse")
    expect(edited).to_contain_text("A user changed it.")
    expect(its_folder).to_contain_text("a name of my own")
    admin.open("/admin/catalogs/item/")
    admin.sees("156", ".list-count")

    # Then it is done, and what stays is named with its reason once more.
    admin.open(PAGE)
    admin.press(SHOW)
    admin.press(REMOVE)
    admin.sees("The demo data has been removed.")
    expect(edited).to_contain_text("A user changed it.")
    expect(its_folder).to_contain_text("a name of my own")
    admin.open("/admin/catalogs/item/?q=a+name+of+my+own")
    admin.sees("a name of my own", "#result_list")

    # At a later visit there is nothing left to press.
    admin.open(PAGE)
    admin.sees("was seeded on")
    admin.sees("and removed on")
    admin.sees("seed_demo demo-company")
    for button in (SHOW, REMOVE):
        expect(page.get_by_role("button", name=button)).to_have_count(0)
