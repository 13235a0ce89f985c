"""Balances of the registers."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from documents.registers.balances import (
    ledger_balances,
    stock_on_hand,
)
from tests.catalogs.rows import a_row
from tests.query_plans import plans

D = Decimal


def at(number):
    return datetime(2026, 3, number, 12, tzinfo=UTC)


@pytest.fixture
def busy(world):
    world.receipt((world.rice, 10, 2), (world.tea, 1, 5), on=2)
    world.issue((world.rice, 4, 3), on=4)
    world.receipt((world.rice, 1, 2), on=6, warehouseId=world.other.pk)
    world.payment(5, on=8)
    return world


def shown(rows):
    return [(r.item_code, r.warehouse_code, r.quantity, r.value) for r in rows]


def test_stock_on_hand_counts_movements_up_to_a_time(busy):
    assert stock_on_hand(at(1)) == []
    at_four = [("RICE", "MAIN", 6, 12), ("TEA", "MAIN", 1, 5)]
    assert shown(stock_on_hand(at(4))) == at_four
    assert shown(stock_on_hand(at(3)))[0] == ("RICE", "MAIN", 10, 20)
    assert shown(stock_on_hand()) == [
        ("RICE", "MAIN", 6, 12),
        ("RICE", "OTHER", 1, 2),
        ("TEA", "MAIN", 1, 5),
    ]


def test_stock_on_hand_can_be_filtered_by_warehouse_or_item(busy):
    assert shown(stock_on_hand(warehouse_id=busy.other.pk)) == [("RICE", "OTHER", 1, 2)]
    assert shown(stock_on_hand(item_id=busy.tea.pk)) == [("TEA", "MAIN", 1, 5)]


def test_stock_without_quantity_and_value_is_left_out(busy):
    busy.issue((busy.tea, 1, 9), on=9)
    assert "TEA" not in {row.item_code for row in stock_on_hand()}


def test_debts_are_listed_by_counterparty(busy):
    other = a_row(type(busy.partner), code="Q", name="Other")
    busy.payment(2, on=8, counterpartyId=other.pk)
    rows = ledger_balances(role="receivables")
    assert [(r.counterparty_code, r.currency_code, r.balance) for r in rows] == [
        ("P", "EUR", D(7)),
        ("Q", "EUR", D(-2)),
    ]
    (row,) = ledger_balances(counterparty_id=other.pk)
    assert (row.role, row.debit, row.credit) == ("receivables", 0, 2)


def test_a_balance_counts_entries_up_to_a_time(busy):
    (row,) = ledger_balances(at(4), role="receivables")
    assert (row.debit, row.credit) == (12, 0)
    assert ledger_balances(at(1)) == []


def test_every_currency_balances(busy):
    busy.receipt((busy.freight, 3, 7), currencyId=busy.usd.pk)
    sums = {}
    for row in ledger_balances():
        sums[row.currency_code] = sums.get(row.currency_code, 0) + row.balance
    assert sums == {"EUR": 0, "USD": 0}


def test_reports_read_nothing_but_an_index(world):
    """From the table, the sums of a million entries took a second."""
    with plans() as taken:
        stock_on_hand(at(4))
        ledger_balances(at(4))
    sums = [plan for sql, plan in taken.items() if "SUM(" in sql]
    assert ["COVERING INDEX stock_sums" in plan for plan in sums] == [True, False]
    assert ["COVERING INDEX ledger_sums" in plan for plan in sums] == [False, True]
