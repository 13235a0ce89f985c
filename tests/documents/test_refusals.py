"""Refusals of posting and editing: negative stock is refused, an edit settles the
document again, and a refusal changes nothing."""

from __future__ import annotations

from decimal import Decimal

import pytest

from documents.models import LedgerEntry
from platform_site.records import services as records
from platform_site.records.errors import Refusal, Stale
from tests.catalogs.rows import boss, events, stored
from tests.documents.rows import (
    as_lines,
    balances,
    day,
    delete,
    edit,
    everything,
    movements,
    on_hand,
    post,
    sentences,
    unpost,
)

D = Decimal


# -- shortages -------------------------------------------------------------------------


def test_an_issue_beyond_the_stock_is_refused_with_names_and_quantities(world):
    world.receipt((world.rice, 10, 2), on=1)
    issue = world.issue((world.rice, 8, 3), (world.rice, "4.5", 3), on=2, post=False)
    before = everything(issue)
    with pytest.raises(Refusal) as refusal:
        post(issue)
    assert sentences(refusal) == {
        "": "Not enough RICE Rice in MAIN Main on 2026-03-02: "
        "12.5 needed, 10 available."
    }
    assert everything(issue) == before


def test_the_stock_of_another_warehouse_does_not_help(world):
    world.receipt((world.rice, 10, 2), on=1, warehouseId=world.other.pk)
    with pytest.raises(Refusal, match="1 needed, 0 available"):
        world.issue((world.rice, 1, 3), on=2)


def test_an_issue_before_the_receipt_is_refused(world):
    world.receipt((world.rice, 10, 2), on=5)
    with pytest.raises(Refusal, match="2026-03-04: 1 needed, 0 available"):
        world.issue((world.rice, 1, 3), on=4)


def test_an_issue_at_the_same_time_as_the_receipt_is_allowed(world):
    world.receipt((world.rice, 10, 2), on=5)
    world.issue((world.rice, 10, 3), on=5)
    assert on_hand(world.rice, world.main) == (0, 0)


def test_a_back_dated_issue_is_checked_at_every_later_time(world):
    world.receipt((world.rice, 10, 2), on=1)
    world.issue((world.rice, 8, 3), on=5)
    world.receipt((world.rice, 100, 2), on=9)
    with pytest.raises(Refusal, match="2026-03-05: 3 needed, 2 available"):
        world.issue((world.rice, 3, 3), on=3)
    world.issue((world.rice, 2, 3), on=3)
    assert on_hand(world.rice, world.main)[0] == 100


def test_a_receipt_that_later_issues_need_cannot_be_unposted(world):
    receipt = world.receipt((world.rice, 10, 2), on=1)
    world.issue((world.rice, 8, 3), on=5)
    world.receipt((world.rice, 100, 2), on=9)
    before = everything(receipt)
    for undo in (unpost, delete, lambda row: edit(row, date=day(6))):
        with pytest.raises(Refusal, match=r"8 needed, (0|10) available"):
            undo(receipt)
        assert everything(receipt) == before
    # TooManyErrors by the time it is needed.
    edit(receipt, date=day(5))
    assert stored(receipt).is_active


def test_a_back_dated_receipt_allows_an_earlier_issue(world):
    world.receipt((world.rice, 10, 2), on=5)
    world.receipt((world.rice, 10, 4), on=1)
    issue = world.issue((world.rice, 4, 9), on=2)
    # Only what is dated up to the issue counts for its cost.
    assert movements(issue) == [(D(-4), D(-16))]


def test_a_back_dated_document_changes_no_other_cost(world):
    world.receipt((world.rice, 10, 2), on=1)
    issue = world.issue((world.rice, 5, 9), on=5)
    before = everything(issue)
    world.receipt((world.rice, 10, 8), on=2)
    assert everything(issue)[1:] == before[1:]
    assert movements(issue) == [(D(-5), D(-10))]


# -- editing what is posted ------------------------------------------------------------


def test_editing_a_posted_receipt_settles_it_again_with_one_event(world):
    receipt = world.receipt((world.rice, 10, 2), (world.tea, 1, 1), on=1)
    edited = edit(receipt, lines=as_lines([(world.rice, 12, 3)]))
    assert edited.is_active
    assert stored(receipt).is_active
    assert on_hand(world.rice, world.main) == (12, 36)
    assert on_hand(world.tea, world.main) == (0, 0)
    assert balances() == {"inventory": D(36), "payables": D(-36)}
    assert events(receipt, action="updated").count() == 1
    assert events(receipt).first().action == "updated"


def test_an_edit_that_makes_a_later_issue_impossible_changes_nothing(world):
    receipt = world.receipt((world.rice, 10, 2), on=1)
    issue = world.issue((world.rice, 8, 3), on=5)
    before = everything(receipt, issue)
    with pytest.raises(Refusal) as refusal:
        edit(receipt, comment="less", lines=as_lines([(world.rice, 7, 2)]))
    assert "2026-03-05: 8 needed, 7 available" in sentences(refusal)[""]
    assert everything(receipt, issue) == before


def test_a_posted_document_moves_to_another_warehouse(world):
    receipt = world.receipt((world.rice, 10, 2), on=1)
    edit(receipt, warehouseId=world.other.pk)
    assert on_hand(world.rice, world.main) == (0, 0)
    assert on_hand(world.rice, world.other) == (10, 20)


def test_saving_an_unchanged_posted_document_settles_nothing(world):
    receipt = world.receipt((world.rice, 10, 2), on=1)
    before = everything(receipt)
    edit(receipt, lines=as_lines([(world.rice, "10.0", "2.00")]), comment="")
    assert everything(receipt) == before


def test_an_edit_of_a_document_posted_since_it_was_read_is_refused(world):
    row = world.receipt((world.rice, 10, 2), post=False)
    at_hand = stored(row)
    post(row)
    before = everything(row)
    with pytest.raises(Stale):
        records.update_record(
            row=at_hand, data={"lines": as_lines([(world.rice, 3, 2)])}, actor=boss()
        )
    assert everything(row) == before


# -- the currency of a stock -----------------------------------------------------------


def test_stock_keeps_the_currency_of_its_first_receipt(world):
    first = world.receipt((world.rice, 10, 2), on=5)
    with pytest.raises(Refusal) as refusal:
        world.receipt((world.rice, 1, 2), on=1, currencyId=world.usd.pk)
    assert sentences(refusal)[""] == (
        "The stock of RICE Rice in MAIN Main is valued in EUR; "
        "a line in USD cannot be posted."
    )
    with pytest.raises(Refusal, match="valued in EUR"):
        world.issue((world.rice, 1, 2), on=9, currencyId=world.usd.pk)
    world.receipt(
        (world.rice, 1, 2), currencyId=world.usd.pk, warehouseId=world.other.pk
    )
    world.receipt((world.tea, 1, 2), (world.freight, 1, 2), currencyId=world.usd.pk)
    # With its last movement gone the stock has no currency any more.
    unpost(first)
    world.receipt((world.rice, 1, 2), on=1, currencyId=world.usd.pk)
    with pytest.raises(Refusal, match="valued in USD"):
        post(first)


def test_the_only_receipt_may_change_its_currency(world):
    receipt = world.receipt((world.rice, 10, 2))
    edit(receipt, currencyId=world.usd.pk)
    assert {e.currency_id for e in LedgerEntry.objects.all()} == {world.usd.pk}


def test_a_stock_that_does_not_fit_its_column_is_refused(world):
    world.receipt((world.rice, "99999999999999", 0))
    with pytest.raises(Refusal, match="too many digits"):
        world.receipt((world.rice, "99999999999999", 0))
