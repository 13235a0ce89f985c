"""The lines of a document: one value, validated line by line and replaced as a
whole."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalogs.models import Item, Warehouse
from documents.models import GoodsReceipt, SalesOrder
from documents.serializers import SalesOrderSerializer
from importer.describe import fields_of
from importer.package.fields import FieldKind
from importer.serializers import borrowed
from platform_site.records import services as records
from platform_site.records.errors import InUse, Refusal
from tests.catalogs.rows import a_folder, boss, events, stored
from tests.documents.rows import as_lines, delete, edit, restore, sentences

D = Decimal


def said(row):
    return [(ln["item_id"], ln["quantity"], ln["price"]) for ln in stored(row).lines]


# -- what is kept ----------------------------------------------------------------------


def test_lines_are_stored_in_order_with_amounts_and_a_total(world):
    order = world.order((world.tea, "1.5", "3.3333"), (world.rice, 2, 10))
    assert said(order) == [
        (world.tea.pk, D("1.5"), D("3.3333")),
        (world.rice.pk, D(2), D(10)),
    ]
    rows = order.line_model().objects.filter(document=order).order_by("number")
    assert [(r.number, r.amount) for r in rows] == [(1, D(5)), (2, D(20))]
    assert stored(order).total == D(25)


def test_given_lines_replace_all_lines(world):
    order = world.order((world.tea, 1, 3), (world.rice, 2, 10))
    edit(order, lines=as_lines([(world.rice, 1, 7)]))
    assert said(order) == [(world.rice.pk, 1, 7)]
    assert stored(order).total == 7


def test_absent_lines_leave_the_stored_ones_unchanged(world):
    order = world.order((world.tea, 1, 3))
    edit(order, comment="x")
    assert said(order) == [(world.tea.pk, 1, 3)]
    assert events(order).first().changes == {"comment": ["", "x"]}


def test_reordered_lines_are_recorded_as_a_change_in_wire_form(world):
    lines = as_lines(
        [(world.tea, "1.0000", "3.0000"), (world.rice, "2.0000", "1.0000")]
    )
    order = world.order((world.tea, 1, 3), (world.rice, 2, 1))
    edit(order, lines=lines[::-1])
    assert events(order).first().changes == {"lines": [lines, lines[::-1]]}
    assert stored(order).version == order.version + 1


def test_the_same_lines_are_no_change(world):
    order = world.order((world.tea, 1, 3))
    edit(order, lines=as_lines([(world.tea, "1.0", "3.00")]))
    assert stored(order).version == order.version
    assert events(order).count() == 1


def test_preparing_leaves_the_given_row_unchanged(world):
    order = stored(world.order((world.tea, 1, 3)))
    edited = records.update_record(
        row=order, data={"lines": as_lines([(world.tea, 5, 3)])}, actor=boss()
    )
    assert edited.lines != order.lines
    order.refresh_from_db()
    assert edited.lines == order.lines


# -- what is refused -------------------------------------------------------------------


def refused(world, lines):
    order = world.order((world.tea, 1, 3))
    with pytest.raises(Refusal) as refusal:
        edit(order, lines=lines)
    assert said(order) == [(world.tea.pk, 1, 3)]
    return sentences(refusal)


def test_errors_name_the_line_and_its_property(world):
    good, *bad = as_lines([(world.tea, 1, 3), (world.tea, 0, 3), (world.tea, 1, -1)])
    found = refused(world, [good, *bad])
    assert set(found) == {"lines[1].quantity", "lines[2].price"}


def test_a_partial_change_needs_complete_lines(world):
    (line,) = as_lines([(world.tea, 1, 3)])
    del line["quantity"]
    assert refused(world, [line]) == {"lines[0].quantity": "This value is required."}


@pytest.mark.parametrize("lines", [[], None, "x", {}, [1], [None]])
def test_malformed_lines_are_refused(world, lines):
    found = refused(world, lines)
    assert all(path.startswith("lines") for path in found)


def test_a_line_needs_an_item_that_exists(world):
    gone = {"itemId": 10**15, "quantity": 1, "price": 1}
    huge = {**gone, "itemId": 10**40}
    assert set(refused(world, [gone, huge])) == {"lines[0].itemId", "lines[1].itemId"}


def test_a_folder_in_a_line_is_refused(world):
    folder = a_folder(code="F", name="Folder")
    found = refused(world, as_lines([(world.tea, 1, 3), (folder, 1, 3)]))
    assert found == {"lines[1].itemId": "F Folder is a folder; a line needs an item."}


def test_amounts_that_do_not_fit_their_column_are_refused(world):
    large = (world.tea, "99999999999999", 1)
    assert set(refused(world, as_lines([large, large]))) == {"lines"}
    found = refused(world, as_lines([(world.tea, "99999999999999", 2)]))
    assert set(found) == {"lines[0].price"}


def test_the_number_of_queries_does_not_grow_with_the_lines(world, connection_queries):
    few = connection_queries(lambda: world.receipt((world.tea, 1, 3)))
    many = connection_queries(
        lambda: world.receipt(*[(item, 1, 3) for item in (world.tea, world.rice)] * 30)
    )
    # One pair more is met for the first time, and its balance created.
    assert many <= few + 1


# -- how it is described ---------------------------------------------------------------


def test_lines_are_described_with_their_properties():
    fields = fields_of(SalesOrderSerializer(), lambda model: model.catalog_name)
    (lines,) = [field for field in fields if field.kind is FieldKind.LINES]
    assert (lines.name, lines.required) == ("lines", True)
    assert [(f.name, f.kind, f.required, f.to) for f in lines.lines] == [
        ("itemId", FieldKind.REFERENCE, True, "Items"),
        ("quantity", FieldKind.DECIMAL, True, ""),
        ("price", FieldKind.DECIMAL, True, ""),
    ]
    required = {field.name for field in fields if field.required}
    assert required == {"date", "counterpartyId", "currencyId", "lines"}
    assert not {"id", "total"} & {field.name for field in fields}


def test_the_wire_form_of_a_document_equals_its_input(world):
    order = stored(world.order((world.tea, "1.5", 3), dueDate="2026-05-01"))
    with borrowed(SalesOrderSerializer) as lent:
        wire = lent.to_representation(order)
    assert wire == {
        "id": order.pk,
        "code": "SO-2026-000001",
        "date": "2026-03-01T12:00:00Z",
        "isActive": False,
        "comment": "",
        "total": "4.5000",
        "counterpartyId": world.partner.pk,
        "warehouseId": world.main.pk,
        "currencyId": world.eur.pk,
        "dueDate": "2026-05-01",
        "lines": [{"itemId": world.tea.pk, "quantity": "1.5000", "price": "3.0000"}],
    }


# -- who uses what ---------------------------------------------------------------------


def test_rows_used_by_a_live_document_cannot_be_deleted(world):
    order = world.order((world.tea, 1, 3))
    for row in (world.tea, world.main, world.partner, world.eur):
        with pytest.raises(InUse) as refusal:
            delete(row)
        assert f"sales order {order.code}" in sentences(refusal)[""]
    issue = world.issue((world.freight, 1, 3), orderId=order.pk, post=False)
    with pytest.raises(InUse, match=issue.code):
        delete(order)


def test_rows_used_only_by_deleted_documents_can_be_deleted_but_not_erased(world):
    order = world.order((world.tea, 1, 3), (world.tea, 1, 3))
    delete(order)
    with pytest.raises(InUse, match=r"sales order SO-2026-000001 \(deleted\)\.$"):
        records.erase_record(row=stored(world.tea), actor=boss())
    delete(world.tea)
    assert stored(world.tea).is_deleted


def test_a_document_is_erased_with_its_lines(world):
    order = world.order((world.tea, 1, 3))
    records.erase_record(row=stored(order), actor=boss())
    assert not order.line_model().objects.exists()
    event = events(order).first()
    assert event.changes["lines"][0][0]["itemId"] == world.tea.pk
    records.erase_record(row=stored(world.tea), actor=boss())
    assert not Item.objects.filter(code="TEA").exists()


def test_a_restored_document_has_its_lines(world):
    order = world.order((world.tea, 1, 3))
    delete(order)
    restore(order)
    assert said(order) == [(world.tea.pk, 1, 3)]


def test_a_row_without_parts_has_no_lines():
    assert Warehouse.parts == ()
    assert [part.name for part in GoodsReceipt.parts] == ["lines"]
    assert [part.name for part in SalesOrder.parts] == ["lines"]
