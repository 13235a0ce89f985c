"""Concurrent deletions and moves of referenced rows on other connections: the run
decides again and never refers to deleted rows."""

from __future__ import annotations

from contextlib import contextmanager
from unittest import mock

import pytest

from catalogs.models import Counterparty, Item, UnitOfMeasure
from documents.models import GoodsReceipt
from platform_site.changes import services as changes
from platform_site.records import services
from platform_site.records.errors import InUse
from platform_site.records.importing import RecordTarget
from tests.builders import a_package, code, ref, row_of
from tests.importer.documents.packages import company, line, receipts, trade
from tests.live_references import assert_references_live
from tests.two_connections import Elsewhere, before_each, elsewhere

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def before_the_write(model, number, deed):
    """Let a user act just before the run writes its n-th row of a model."""
    seen = []

    def count(target, *_):
        if target.model is model:
            seen.append(None)
            if len(seen) == number:
                deed()

    with before_each(RecordTarget, "commit", count):
        yield
    assert len(seen) >= number


def delete(row, actor):
    done = elsewhere(
        services.delete_record, row=type(row)._base_manager.get(pk=row.pk), actor=actor
    )
    assert not isinstance(done, Exception), done


def told(report):
    return {one.id: (str(one.outcome), one.message) for one in report.items}


def units(*names):
    package = a_package("p").with_step("UnitsOfMeasure")
    for name in names:
        package.unit(name, name.upper())
    return package


def test_a_unit_named_by_code_and_deleted_concurrently_is_missing(run, admin):
    """IMP-052: a row is checked at the time of its write."""
    run(units("kg"))
    package = a_package("q").with_step("Items")
    package.goods("a", "A", code("KG")).goods("b", "B", code("KG"))
    unit = UnitOfMeasure.objects.get()
    with before_the_write(Item, 1, lambda: delete(unit, admin)):
        report = run(package, continue_on_error=True)
    sentence = "unitOfMeasureId: no row of UnitsOfMeasure has the code"
    for outcome, message in told(report).values():
        assert outcome == "Failed"
        assert sentence in message
    assert not Item.objects.exists()
    assert_references_live()


def test_an_object_deleted_concurrently_is_named_by_id_code_and_name(run, admin):
    package = units("kg").with_step("Items")
    package.goods("a", "A", ref("kg")).goods("b", "B", ref("kg"))

    def the_unit_goes():
        delete(UnitOfMeasure.objects.get(), admin)

    with before_the_write(Item, 1, the_unit_goes):
        report = run(package, continue_on_error=True)
    unit = UnitOfMeasure.objects.get()
    sentence = f"{unit} ($id kg) is deleted; restore it first."
    assert sentence in told(report)["a"][1]
    assert told(report)["b"][0] == "Failed"
    assert not Item.objects.exists()


def test_another_row_with_the_code_replaces_the_deleted_one(run, admin):
    run(units("kg"))
    package = a_package("q").with_step("Items").goods("a", "A", code("KG"))

    def replaced():
        delete(UnitOfMeasure.objects.get(), admin)
        data = {"code": "KG", "name": "Another"}
        elsewhere(services.create_record, model=UnitOfMeasure, data=data, actor=admin)

    with before_the_write(Item, 1, replaced):
        report = run(package)
    assert told(report)["a"][0] == "Inserted"
    assert Item.objects.get().unit_of_measure.name == "Another"
    assert_references_live()


def test_a_folder_deleted_concurrently_gets_no_rows(run, admin):
    package = units("kg").with_step("Items").folder("f", "F")
    package.goods("a", "A", ref("kg"), parentId=ref("f"))
    package.goods("b", "B", ref("kg"), parentId=code("F"))

    def the_folder_goes():
        delete(Item.objects.get(code="F"), admin)

    with before_the_write(Item, 2, the_folder_goes):
        report = run(package, continue_on_error=True)
    assert "($id f) is deleted; restore it first." in told(report)["a"][1]
    assert told(report)["b"][0] == "Failed"
    assert_references_live()


def test_a_deletion_waits_for_the_object_being_written(run, admin):
    package = units("kg").with_step("Items").goods("a", "A", ref("kg"))
    begun, original = [], changes.insert_row

    def recorded(event, **kwargs):
        original(event, **kwargs)
        if event.model == "Items" and not begun:
            unit = UnitOfMeasure.objects.get()
            begun.append(Elsewhere(services.delete_record, row=unit, actor=admin))
            begun[0].end_or_wait()

    with mock.patch.object(changes, "insert_row", recorded):
        report = run(package)
    assert told(report)["a"][0] == "Inserted"
    assert isinstance(begun[0].end(), InUse)
    assert_references_live()


def test_a_document_is_not_posted_for_a_partner_deleted_concurrently(run, admin):
    run(company())
    package = receipts(("r", trade([line()])), submit=True)

    def the_partner_goes():
        delete(Counterparty.objects.get(), admin)

    with before_the_write(GoodsReceipt, 1, the_partner_goes):
        report = run(package, continue_on_error=True)
    assert "no row of Counterparties has the code" in told(report)["r"][1]
    assert not GoodsReceipt.objects.exists()


def test_an_item_deleted_concurrently_is_reported_at_its_line(run, admin):
    run(company())
    package = receipts(("r", trade([line(), line("TEA")])))

    def the_item_goes():
        delete(row_of("Items", "TEA"), admin)

    with before_the_write(GoodsReceipt, 1, the_item_goes):
        report = run(package, continue_on_error=True)
    assert "lines[1].itemId" in told(report)["r"][1]
    assert not GoodsReceipt.objects.exists()


def test_a_run_and_a_user_cannot_create_a_circle_of_folders(run, admin):
    package = a_package("p").with_step("Items").folder("a", "A").folder("b", "B")
    run(package)
    moved = a_package("p").with_step("Items").folder("a", "A", parentId=code("B"))
    moved.folder("b", "B")

    def the_user_moves():
        data = {"parentId": Item.objects.get(code="A").pk}
        row = Item.objects.get(code="B")
        elsewhere(services.update_record, row=row, data=data, actor=admin)

    with before_the_write(Item, 1, the_user_moves):
        report = run(moved, continue_on_error=True)
    assert "A folder can't be inside itself." in told(report)["a"][1]
    assert_references_live()


def test_a_row_whose_reference_was_deleted_is_not_restored(run, admin):
    run(units("kg").with_step("Items").goods("a", "A", ref("kg")))
    delete(Item.objects.get(), admin)
    back = a_package("p").with_step("UnitsOfMeasure").unit("kg", "KG")
    back.with_step("Items", onDeleted="restore").goods("a", "A", ref("kg"), price=2)

    def the_unit_goes():
        delete(UnitOfMeasure.objects.get(), admin)

    with before_the_write(Item, 1, the_unit_goes):
        report = run(back, continue_on_error=True)
    assert "($id kg) is deleted; restore it first." in told(report)["a"][1]
    assert Item.objects.get().is_deleted
