"""The figures in a refusal for lack of stock, for users and programs. The document's
own movements never count as available."""

from __future__ import annotations

import pytest

from documents.posting.refusals import NotEnoughStock
from tests.catalogs.rows import an_item
from tests.documents.rows import as_lines, day, delete, edit, sentences, unpost


@pytest.fixture
def world(world):
    world.receipt((world.rice, 10, 2), on=1)
    return world


def test_an_edited_issue_has_the_stock_without_itself_available(world):
    issue = world.issue((world.rice, 6, 3), on=2)
    with pytest.raises(NotEnoughStock) as refusal:
        edit(issue, lines=as_lines([(world.rice, 6, 3), (world.rice, "4.5", 3)]))
    assert sentences(refusal) == {
        "": "Not enough RICE Rice in MAIN Main on 2026-03-02: "
        "10.5 needed, 10 available."
    }


def test_a_shortage_has_details_for_programs(world):
    with pytest.raises(NotEnoughStock) as refusal:
        world.issue((world.tea, 1, 1), (world.rice, 8, 3), (world.rice, 4, 3), on=2)
    of_tea, of_rice = sorted(refusal.value.shortages, key=lambda each: each["line"])
    assert of_tea["itemCode"] == "TEA"
    assert of_rice == {
        "itemId": world.rice.pk,
        "itemCode": "RICE",
        "warehouseId": world.main.pk,
        "warehouseCode": "MAIN",
        "at": day(2),
        "needed": "12.0000",
        "available": "10.0000",
        "line": 3,
    }


def test_every_shortage_has_details_and_five_have_a_sentence(world):
    items = [world.rice, world.tea, *(an_item() for _ in range(5))]
    with pytest.raises(NotEnoughStock) as refusal:
        world.issue(*((item, 11, 1) for item in items), on=2)
    assert len(refusal.value.problems) == 5
    assert [each["line"] for each in refusal.value.shortages] == [*range(1, 8)]


def test_a_receipt_moved_after_an_issue_leaves_no_stock_for_it(world):
    receipt = world.receipt((world.tea, 10, 2), on=1)
    world.issue((world.tea, 8, 3), on=5)
    with pytest.raises(NotEnoughStock) as refusal:
        edit(receipt, date=day(6))
    assert "2026-03-05: 8 needed, 0 available" in str(refusal.value)
    assert refusal.value.shortages[0]["line"] == 1


def test_other_receipts_count_as_available(world):
    receipt = world.receipt((world.rice, 5, 2), on=2)
    world.issue((world.rice, 12, 3), on=5)
    with pytest.raises(NotEnoughStock) as refusal:
        edit(receipt, lines=as_lines([(world.rice, 1, 2)]))
    assert "2026-03-05: 12 needed, 11 available" in str(refusal.value)
    with pytest.raises(NotEnoughStock) as refusal:
        edit(receipt, lines=as_lines([(world.tea, 1, 2)]))
    assert "2026-03-05: 12 needed, 10 available" in str(refusal.value)
    assert refusal.value.shortages[0]["line"] is None


@pytest.mark.parametrize("undo", [unpost, delete])
def test_the_first_short_document_is_reported_with_its_available_stock(world, undo):
    receipt = world.receipt((world.rice, 5, 2), on=2)
    for number, quantity in ((3, 4), (4, 8), (5, 3)):
        world.issue((world.rice, quantity, 3), on=number)
    with pytest.raises(NotEnoughStock) as refusal:
        undo(receipt)
    assert "2026-03-04: 8 needed, 6 available" in str(refusal.value)


def test_dates_are_compared_only_if_stock_may_not_suffice_at_a_later_one(
    world, connection_queries
):
    world.receipt((world.rice, 10, 2), on=4)
    world.issue((world.rice, 10, 3), on=5)
    # Of the 10 before, 10 are issued later: not enough without the receipt between.
    compared = connection_queries(lambda: world.issue((world.rice, 1, 3), on=2))
    world.receipt((world.rice, 10, 2), on=1)
    enough = connection_queries(lambda: world.issue((world.rice, 1, 3), on=2))
    assert enough == compared - 1
