"""An administrator takes the demo data out again, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect, sync_playwright

from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from tests.host.test_serve import announced, start, stop

pytestmark = pytest.mark.process


@pytest.fixture
def page():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield browser.new_page()
        browser.close()


def test_the_demo_data_is_looked_at_and_then_removed(tmp_path, page):
    served = start(tmp_path / "data", Demo__Seed="true")
    try:
        announced(served)
        page.goto(f"{served.url}/admin/")
        page.fill("#id_username", "admin")
        page.fill("#id_password", DEFAULT_ADMIN_PASSWORD)
        page.click("input[type=submit]")
        page.get_by_role("link", name="Demo data").last.click()
        expect(page.get_by_text("The package demo-company was seeded")).to_be_visible()
        page.get_by_role("button", name="Show what would be removed").click()
        expect(page.get_by_role("row", name="Items 156")).to_be_visible()
        page.get_by_role("button", name="Remove the demo data").click()
        expect(page.get_by_text("The demo data is removed.")).to_be_visible()
        page.goto(f"{served.url}/admin/catalogs/item/")
        expect(page.get_by_text("0 items")).to_be_visible()
    finally:
        stop(served)
