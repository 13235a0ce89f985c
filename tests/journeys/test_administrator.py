"""An administrator's day: a role from a preset, somebody leaves and somebody comes, whose
first sign-in works, and a backup; with the mouse and by keyboard alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.browser import CountedPerson, Person

pytestmark = pytest.mark.process
NEW, OWN_PASSWORD = "accounts", "a long pass phrase"
# A role, an account deleted, another one made.
_MOST_CLICKS = 14


@pytest.fixture
def administrator(browser, shop):
    """Sign somebody in; fail where a page complained."""
    person = CountedPerson(browser, shop.url)
    yield person
    person.context.close()
    assert person.complaints == []


def test_somebody_leaves_and_an_accountant_comes(administrator, browser, shop):
    administrator.click("Roles", "nav")
    administrator.click("New")
    administrator.click("Accountant")
    expect(administrator.page.locator("#id_name")).to_have_value("Accountant")
    administrator.click("Save", ".submit-row", "button")
    administrator.sees("Accountant", "#result_list")

    administrator.click("Users", "nav")
    administrator.click("visitor")
    # An account that is only locked would still count as a licensed user.
    administrator.click("Delete", ".submit-row")
    administrator.click("Delete", role="button")
    administrator.sees("successfully")

    administrator.click("New")
    administrator.page.fill("#id_username", NEW)
    administrator.click(re.compile("^Accountant"), "#id_groups", "checkbox")
    administrator.click("Save", ".submit-row", "button")
    password = administrator.page.locator(".new-api-key").input_value()
    assert administrator.clicks <= _MOST_CLICKS

    accountant = Person(browser, shop.url, NEW, password, first="/admin/")
    accountant.page.fill("#id_old_password", password)
    for field in ("new_password1", "new_password2"):
        accountant.page.fill(f"#id_{field}", OWN_PASSWORD)
    accountant.page.keyboard.press("Enter")
    accountant.sees("successful")
    accountant.open("/admin/")
    accountant.sees("New payment", "main")
    expect(accountant.page.get_by_role("link", name="New order")).to_have_count(0)
    expect(accountant.page.get_by_role("link", name="Users")).to_have_count(0)
    accountant.context.close()
    assert accountant.complaints == []


def test_a_backup_is_made_and_downloaded(administrator):
    administrator.click("System", "nav")
    administrator.click("Back up now", role="button")
    administrator.sees("Download", "main")
    with administrator.page.expect_download() as download:
        administrator.click(re.compile("Download"))
    assert download.value.path().stat().st_size > 0
    assert administrator.clicks <= 3


def test_an_account_is_locked_by_keyboard_alone(administrator):
    keys = administrator.page.keyboard
    administrator.page.wait_for_load_state()
    keys.press("/")
    keys.type("warehouse@")
    expect(administrator.page.get_by_role("option").first).to_contain_text("warehouse")
    keys.press("ArrowDown")
    keys.press("Enter")
    administrator.sees("Change user", "h1")
    administrator.tab_to("[name=sign_in]")
    for _ in range(2):
        keys.press("ArrowDown")
    expect(administrator.page.locator(":focus")).to_have_accessible_name(
        "No, until somebody unlocks it; its API keys work"
    )
    administrator.tab_to("[name=_save]")
    keys.press("Enter")
    administrator.sees("successfully")
    row = administrator.page.get_by_role("row", name=re.compile("warehouse@"))
    expect(row).to_contain_text("for good")
