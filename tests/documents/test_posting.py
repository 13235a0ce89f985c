"""Posting: the rows in stock and ledger, refusals, and unchanged documents."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalogs import models as catalogs
from documents import services
from documents.models import GoodsIssue, GoodsReceipt, LedgerEntry, StockMovement
from importer.pipeline.ports import Write
from platform_site.records import services as records
from platform_site.records.errors import NotAllowed, Refusal, Stale
from tests.catalogs.rows import a_row, boss, events, stored
from tests.documents.rows import (
    a_documents_clerk,
    as_lines,
    balances,
    day,
    delete,
    edit,
    everything,
    movements,
    on_hand,
    post,
    restore,
    unpost,
)

D = Decimal


# -- what is written -------------------------------------------------------------------


def test_a_receipt_adds_stock_and_an_issue_takes_it_at_average_cost(world):
    world.receipt((world.rice, 10, 2), on=1)
    world.receipt((world.rice, 20, 3), on=2)
    issue = world.issue((world.rice, 7, 9), on=3)
    # 80 / 30 * 7 = 18.66666...
    assert movements(issue) == [(D(-7), D("-18.6667"))]
    assert on_hand(world.rice, world.main) == (D(23), D("61.3333"))
    assert balances() == {
        "inventory": D("61.3333"),
        "payables": D(-80),
        "receivables": D(63),
        "sales": D(-63),
        "costOfGoods": D("18.6667"),
    }


def test_an_issue_that_empties_the_stock_takes_the_whole_value(world):
    world.receipt((world.rice, 3, "3.3333"), on=1)
    world.issue((world.rice, 1, 5), on=2)
    world.issue((world.rice, 1, 5), (world.rice, 1, 5), on=3)
    assert on_hand(world.rice, world.main) == (0, 0)


def test_a_service_moves_no_stock_and_costs_nothing(world):
    world.issue((world.freight, 2, 50), on=1)
    assert not StockMovement.objects.exists()
    assert balances() == {"receivables": D(100), "sales": D(-100)}


def test_posting_an_order_writes_no_register_rows(world):
    order = world.order((world.rice, 2, 50), post=True)
    assert stored(order).is_active
    assert not StockMovement.objects.exists()
    assert not LedgerEntry.objects.exists()


def test_a_payment_reduces_the_debt_and_a_refund_increases_it(world):
    world.payment("100.5")
    assert balances() == {"bank": D("100.5"), "receivables": D("-100.5")}
    world.payment("0.5", isIncome=False)
    assert balances() == {"bank": D(100), "receivables": D(-100)}


def test_entries_have_the_account_of_their_role_and_the_counterparty(world):
    account = a_row(catalogs.Account, isFolder=False, role="payables")
    world.receipt((world.rice, 1, 2))
    entries = {entry.role: entry for entry in LedgerEntry.objects.all()}
    assert entries["payables"].account_id == account.pk
    assert entries["payables"].counterparty_id == world.partner.pk
    assert entries["inventory"].account_id is None
    assert entries["inventory"].counterparty_id is None
    assert {entry.currency_id for entry in entries.values()} == {world.eur.pk}


def test_line_amounts_are_rounded_half_up_before_they_are_summed(world):
    receipt = world.receipt((world.rice, "0.5", "0.0001"), (world.tea, "0.5", "0.0001"))
    assert stored(receipt).total == D("0.0002")
    assert [m[1] for m in movements(receipt)] == [D("0.0001"), D("0.0001")]


def test_large_numbers_stay_exact(world):
    receipt = world.receipt((world.rice, "12345678.1234", "1000000.0001"))
    assert receipt.total == stored(receipt).total
    assert stored(receipt).total == (D("12345678.1234") * D("1000000.0001")).quantize(
        D("0.0001")
    )
    assert on_hand(world.rice, world.main)[1] == stored(receipt).total


# -- posting and taking back -----------------------------------------------------------


def test_posting_and_unposting_by_a_user_change_version_and_modified(world):
    """IMP-072: a user's posting is a user's change."""
    row = world.receipt((world.rice, 1, 2), post=False)
    posted = post(row)
    assert posted.is_active
    after = stored(row)
    assert after.is_active
    assert (after.version, after.modified) == (posted.version, posted.modified)
    assert after.version == row.version + 1
    assert after.modified > row.modified
    assert events(row).first().action == "posted"
    assert events(row).first().changes == {"isActive": [False, True]}
    taken_back = unpost(row)
    assert taken_back.version == stored(row).version == row.version + 2
    assert taken_back.modified > after.modified


def test_posting_a_posted_document_changes_nothing(world):
    row = world.receipt((world.rice, 1, 2))
    before = everything(row)
    post(row)
    assert everything(row) == before


def test_unposting_removes_all_register_rows(world):
    row = world.receipt((world.rice, 1, 2))
    unpost(row)
    assert not stored(row).is_active
    assert not StockMovement.objects.exists()
    assert not LedgerEntry.objects.exists()
    assert events(row).first().action == "unposted"


def test_an_unposted_document_moves_nothing(world):
    row = world.receipt((world.rice, 1, 2), post=False)
    edit(row, comment="x")
    assert not StockMovement.objects.exists()
    assert not stored(row).is_active


def test_posting_and_unposting_need_separate_rights(world):
    row = world.receipt((world.rice, 1, 2), post=False)
    other = a_documents_clerk("change_goodsreceipt", "unpost_goodsreceipt")
    with pytest.raises(NotAllowed):
        services.post(row=row, actor=other)
    services.post(row=row, actor=a_documents_clerk("post_goodsreceipt"))
    with pytest.raises(NotAllowed):
        services.unpost(row=row, actor=a_documents_clerk("post_goodsreceipt"))
    services.unpost(row=row, actor=other)
    assert not stored(row).is_active


def test_a_document_of_another_version_is_not_posted(world):
    row = world.receipt((world.rice, 1, 2), post=False)
    edit(row, comment="x")
    with pytest.raises(Stale):
        services.post(row=row, actor=boss(), expected_version=row.version)
    assert not stored(row).is_active


def test_a_deleted_document_is_not_posted(world):
    row = delete(world.receipt((world.rice, 1, 2), post=False))
    with pytest.raises(Refusal, match="deleted"):
        post(row)


def test_submitting_creates_and_posts_in_one_write(world):
    values = {
        "date": day(1),
        "counterpartyId": world.partner.pk,
        "warehouseId": world.main.pk,
        "currencyId": world.eur.pk,
        "lines": as_lines([(world.rice, 5, 2)]),
    }
    order = Write(values, boss(), submit=True)
    row = records.commit(records.prepare(order, GoodsReceipt))
    assert stored(row).is_active
    assert on_hand(world.rice, world.main) == (5, 10)
    assert events(row).get().changes["isActive"] == [None, True]
    again = Write({}, boss(), row=stored(row), version=row.version, submit=True)
    records.commit(records.prepare(again, GoodsReceipt))
    assert stored(row).version == row.version
    order = Write(
        values | {"lines": as_lines([(world.rice, 6, 2)])}, boss(), submit=True
    )
    draft = records.prepare(order, GoodsIssue)
    with pytest.raises(Refusal, match="Not enough"):
        records.commit(draft)
    assert not GoodsIssue.objects.exists()


# -- deleting and restoring ------------------------------------------------------------


def test_deleting_unposts_and_restoring_does_not_post(world):
    receipt = world.receipt((world.rice, 10, 2), on=1)
    delete(receipt)
    assert not StockMovement.objects.exists()
    assert not LedgerEntry.objects.exists()
    assert (stored(receipt).is_deleted, stored(receipt).is_active) == (True, False)
    restore(receipt)
    assert (stored(receipt).is_deleted, stored(receipt).is_active) == (False, False)
    assert not StockMovement.objects.exists()
    post(receipt)
    assert on_hand(world.rice, world.main) == (10, 20)


def test_erasing_a_posted_document_removes_its_register_rows(world):
    receipt = world.receipt((world.rice, 10, 2), on=1)
    issue = world.issue((world.rice, 3, 2), on=2)
    with pytest.raises(Refusal, match="Not enough"):
        records.erase_record(row=stored(receipt), actor=boss())
    assert stored(receipt).is_active
    records.erase_record(row=stored(issue), actor=boss())
    records.erase_record(row=stored(receipt), actor=boss())
    assert not StockMovement.objects.exists()
    assert not LedgerEntry.objects.exists()
