"""What people ask first, found from the start page in a few clicks: what is late, how much
there was on a day, who changed a price, which import brought it, and how to undo that."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.browser import CountedPerson

pytestmark = pytest.mark.process
CODE = "20140"
STOCK_BEFORE = f"""
import datetime
from django.db.models import Sum
from documents.models import StockMovement
before = StockMovement.objects.filter(
    item__code="{CODE}", date__lt=datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)
)
print(f"{{before.aggregate(stock=Sum('quantity'))['stock']:f}}".rstrip("0").rstrip("."))
"""
_MOST_CLICKS = 4


class Newcomer(CountedPerson):
    """Somebody who looks for what they have never seen."""

    def find(self, text):
        """Type into the search of all pages, and open what is suggested first."""
        self.page.wait_for_load_state()
        self.page.keyboard.press("/")
        self.page.keyboard.type(text)
        expect(self.page.get_by_role("option").first).to_contain_text(text)
        self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Enter")
        self.sees(text, ".row-head")
        self.clicks += 1


@pytest.fixture
def newcomer(browser, shop):
    """Sign somebody in; fail where a page complained, or much had to be clicked."""
    person = Newcomer(browser, shop.url)
    yield person
    person.context.close()
    assert person.complaints == []
    assert person.clicks <= _MOST_CLICKS


def test_what_is_late(newcomer):
    newcomer.click("Show the late orders")
    expect(newcomer.page.locator("#result_list tbody tr")).to_have_count(7)
    newcomer.sees("late", "#result_list")


def test_how_much_there_was_on_a_day(newcomer, shop):
    newcomer.find(CODE)
    newcomer.sees("15 set", ".figures")
    newcomer.click(re.compile("15.set"))
    newcomer.page.fill("#id_as_of", "2026-09-30")
    newcomer.press("Show", "main")
    newcomer.clicks += 1
    newcomer.sees("up to the end of 30 Sep 2026")
    number = shop.command("shell", "--no-imports", "-c", STOCK_BEFORE).stdout.strip()
    assert number != "15"
    expect(newcomer.page.locator(".report-totals td").nth(2)).to_have_text(number)


def test_who_changed_a_price_which_import_brought_it_and_how_to_undo_that(newcomer):
    newcomer.find(CODE)
    newcomer.click(re.compile("^History"))
    newcomer.sees("Price: 14.90", "table")
    newcomer.sees("admin", "table")
    newcomer.click(re.compile("^Source"))
    newcomer.sees("demo-company version 2")
    newcomer.click("See what an undo would do")
    undo = newcomer.page.get_by_role("button", name="Undo this run")
    expect(undo).to_be_visible()
