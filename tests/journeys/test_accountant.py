"""An accountant's day: what is overdue, a payment of a part, balances of an earlier day, and
a payment booked by mistake, with the mouse and by keyboard alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.browser import CountedPerson

pytestmark = pytest.mark.process
PASSWORD = "Demo123!"
# From the start page to a posted payment, and from there to the entries behind a balance.
_TO_A_PAYMENT, _TO_ENTRIES, _TO_A_CORRECTION = 4, 3, 4


@pytest.fixture
def accountant(browser, shop):
    """Sign somebody in; fail where a page complained."""
    person = CountedPerson(browser, shop.url, name="bookkeeping", password=PASSWORD)
    yield person
    person.context.close()
    assert person.complaints == []


def overdue(accountant):
    """Return the rows of the goods issues that are overdue."""
    return accountant.page.locator("#result_list tbody tr")


def test_part_of_an_overdue_amount_is_paid(accountant):
    accountant.click("Show the overdue goods issues")
    # One or two, depending on what was paid by another test.
    expect(overdue(accountant).first).to_be_visible()
    accountant.sees("days overdue", "#result_list")
    accountant.click(re.compile("^GI-"), "#result_list tbody tr:last-child")
    code = accountant.page.locator("h1").inner_text()
    accountant.click("Create bank receipt", ".flow")
    expect(accountant.page.locator("#id_amount")).to_be_focused()
    accountant.page.keyboard.type("100")
    accountant.page.keyboard.press("Tab")
    accountant.sees("less", ".payment-hint.is-short")
    accountant.click("Save and post", ".submit-row", "button")
    accountant.sees("posted", ".row-head")
    accountant.sees(code, ".flow")
    accountant.sees("part paid", ".flow")
    assert accountant.clicks <= _TO_A_PAYMENT


def test_a_balance_of_an_earlier_day_leads_to_its_entries(accountant):
    accountant.click("Ledger balances", "nav")
    accountant.click("End of last month")
    accountant.sees("up to the end of 31 Oct 2026")
    row = accountant.page.get_by_role("row", name=re.compile("^Bank 1010"))
    debit = row.get_by_role("cell").nth(3).inner_text()
    row.get_by_role("link").click()
    accountant.clicks += 1
    accountant.sees("Ledger entries", "h1")
    accountant.sees(debit, ".register-totals")
    assert accountant.clicks <= _TO_ENTRIES


def test_a_payment_booked_by_mistake_is_taken_back(accountant, shop):
    newest = "SELECT max(id) FROM documents_bankreceipt WHERE is_active"
    ((payment,),) = shop.rows(newest)
    accountant.open(f"/admin/documents/bankreceipt/{payment}/")
    accountant.click("Unpost", "main", "button")
    accountant.sees("not posted", ".row-head")
    accountant.click("Edit")
    accountant.page.fill("#id_amount", "1.00")
    accountant.click("Save and post", ".submit-row", "button")
    accountant.sees("posted", ".row-head")
    accountant.click(re.compile("^History"))
    accountant.sees("1.00", "table")
    assert accountant.clicks <= _TO_A_CORRECTION


def test_a_payment_by_keyboard_alone(accountant):
    keys = accountant.page.keyboard
    accountant.tab_to("main a[href*='goodsissue/?late=yes']")
    keys.press("Enter")
    accountant.sees("overdue", "#result_list")
    accountant.tab_to("#result_list tbody th a")
    keys.press("Enter")
    accountant.sees("none yet", ".flow")
    accountant.tab_to(".flow a[href*='bankreceipt/add']")
    keys.press("Enter")
    expect(accountant.page.locator("#id_amount")).to_be_focused()
    accountant.tab_to("[name=_post]")
    keys.press("Enter")
    accountant.sees("posted", ".row-head")
    accountant.sees("paid", ".flow-step:last-child")


def test_a_report_is_found_by_keyboard_alone(accountant):
    keys = accountant.page.keyboard
    accountant.page.wait_for_load_state()
    keys.press("/")
    keys.type("ledger bal")
    expect(accountant.page.get_by_role("option").first).to_contain_text(
        "Ledger balances"
    )
    keys.press("ArrowDown")
    keys.press("Enter")
    accountant.sees("Ledger balances", "h1")
    accountant.tab_to("#id_as_of")
    # As the field of the browser takes it: month, day, year.
    keys.type("10312026")
    keys.press("Enter")
    accountant.sees("up to the end of 31 Oct 2026")
