"""What only a browser shows of a clerk's day: the clicks from an order to its payment, lines
entered by keyboard alone, and the dialogue that prints."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.browser import Person

pytestmark = pytest.mark.process

_MOST_CLICKS = 8


@pytest.fixture
def clerk(browser, shop):
    """Sign somebody in; fail where a page complained."""
    person = Person(browser, shop.url, first="/admin/documents/salesorder/")
    person.context.add_init_script("window.print = () => { window.printed = true; }")
    yield person
    person.context.close()
    assert person.complaints == []


def test_an_order_is_delivered_and_paid_in_at_most_eight_clicks(clerk):
    clicks = 0

    def click(within, name, role="link"):
        nonlocal clicks
        clerk.page.locator(within).get_by_role(role, name=name).first.click()
        clicks += 1

    clerk.open("/admin/documents/salesorder/?state=open")
    click("#result_list", re.compile("SO-.*-000110"))
    click(".flow", "Create goods issue")
    click(".submit-row", "Save and post", "button")
    clerk.sees("unpaid", ".flow")
    click(".flow", "Create bank receipt")
    click(".submit-row", "Save and post", "button")
    clerk.sees("posted", ".row-head")
    expect(clerk.page.locator(".flow-step")).to_have_count(3)
    clerk.sees("delivered", ".flow-step:nth-child(1)")
    clerk.sees("paid", ".flow-step:nth-child(2)")
    assert clicks <= _MOST_CLICKS


def test_lines_are_entered_by_keyboard_alone(clerk):
    keys = clerk.page.keyboard
    in_focus = clerk.page.locator(":focus")

    def choose(text):
        keys.press("Enter")
        clerk.page.locator(".select2-search__field").fill(text)
        found = clerk.page.locator(".select2-results__option--highlighted")
        expect(found).to_contain_text(text)
        keys.press("Enter")

    def line(number, part):
        return clerk.page.locator(f"#line_rows-{number} {part}")

    clerk.open("/admin/documents/goodsissue/add/")
    expect(in_focus).to_have_attribute("aria-labelledby", re.compile("counterparty"))
    choose("C19")
    clerk.tab_to("[aria-labelledby*=warehouse]")
    choose("MAIN")
    clerk.tab_to("#line_rows-0 .select2-selection")
    choose("20140")
    expect(line(0, "[name$=-quantity]")).to_be_focused()
    expect(line(0, "[name$=-price]")).to_have_value("14.9")
    expect(line(0, ".line-unit")).to_have_text("set")
    expect(line(0, ".line-hint")).to_contain_text("MAIN")
    keys.type("2")
    expect(line(0, ".line-amount")).to_have_text("29.80")
    keys.press("Enter")
    expect(line(1, ".select2-selection")).to_be_focused()
    choose("20170")
    expect(line(1, "[name$=-quantity]")).to_be_focused()
    keys.type("100000")
    expect(line(1, ".line-amount")).to_have_text("390,000.00")
    clerk.sees("Not enough", "#line_rows-1 .line-hint")
    clerk.sees("390,029.80", ".lines-total")


def test_what_is_due_is_said_at_the_amount_of_a_payment(clerk, shop):
    ((issue,),) = shop.rows(
        "SELECT max(id) FROM documents_goodsissue WHERE is_active AND paid = 0"
    )
    clerk.open(
        f"/admin/documents/bankreceipt/add/?source=GoodsIssues&source_id={issue}"
    )
    clerk.sees("is still to pay", ".payment-hint")
    expect(clerk.page.locator("#id_amount")).to_be_focused()
    # A script that runs whenever it arrives would take the focus away again.
    expect(clerk.page.locator("script[async]")).to_have_count(0)
    clerk.page.keyboard.type("1")
    clerk.page.keyboard.press("Tab")
    clerk.sees("less", ".payment-hint.is-short")


def test_the_page_to_print_opens_the_dialogue_itself(clerk):
    clerk.open("/admin/documents/goodsissue/1/print/")
    clerk.page.wait_for_function("() => window.printed")
