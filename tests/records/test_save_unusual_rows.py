"""Rows that a program saves after a refusal, in part or with what is no value: they are
judged like any others, and nothing is lost or written in silence."""

from __future__ import annotations

import pytest
from django.db.models import F

from catalogs.models import Warehouse
from documents.models import GoodsIssue, SalesOrder
from platform_site.records import services
from platform_site.records.errors import Refusal, Stale, WriteRefused
from tests.catalogs.rows import a_warehouse, boss, events, stored
from tests.documents.rows import World
from tests.records.imported import sentences

pytestmark = pytest.mark.django_db


def test_a_refused_row_is_mended_and_saved():
    a_warehouse(code="M")
    new, old = Warehouse(code="M", name="New"), stored(a_warehouse(code="N"))
    old.code = "M"
    for row, code in ((new, "A"), (old, "B")):
        with pytest.raises(Refusal):
            row.save()
        row.code = code
        row.save()
        assert stored(row).code == code


def test_a_new_document_that_cannot_be_posted_is_mended_and_saved():
    world = World()
    order = world.order((world.rice, 1, 1))
    issue = GoodsIssue(
        date=order.date,
        counterparty=order.counterparty,
        currency=order.currency,
        warehouse_id=order.warehouse_id,
        is_active=True,
    )
    issue.lines = order.lines
    with pytest.raises(Refusal):
        issue.save()
    assert not GoodsIssue.objects.exists()
    issue.is_active = False
    issue.save()
    assert stored(issue).lines == order.lines


def test_a_deleted_document_is_not_posted_by_a_save():
    world = World()
    receipt = world.receipt((world.rice, 1, 1), post=False)
    services.delete_record(row=receipt, actor=boss())
    row = stored(receipt)
    row.is_active = True
    with pytest.raises(Refusal, match="deleted"):
        row.save()
    assert events(row).first().action == "deleted"


def test_an_expression_is_refused_where_a_value_belongs():
    row = stored(a_warehouse(name="Before"))
    row.name = F("code")
    with pytest.raises(Refusal) as refusal:
        row.save()
    assert set(sentences(refusal)) == {"name"}
    assert stored(row).name == "Before"


def test_a_column_that_does_not_exist_is_refused():
    row = stored(a_warehouse())
    with pytest.raises(ValueError, match="nmae"):
        row.save(update_fields=["nmae"])


def test_a_forced_update_creates_nothing():
    with pytest.raises(Stale):
        Warehouse(code="M", name="Main").save(force_update=True)
    assert not Warehouse.objects.exists()


def test_a_row_read_without_its_version_is_not_saved():
    row = Warehouse.objects.only("code").get(pk=a_warehouse(code="M").pk)
    services.update_record(row=stored(row), data={"code": "N"}, actor=boss())
    row.name = "After"
    with pytest.raises(WriteRefused, match="whole row"):
        row.save()
    assert stored(row).code == "N"


def test_a_row_stays_deleted_where_only_other_columns_are_saved():
    row = a_warehouse()
    services.delete_record(row=row, actor=boss())
    row.is_deleted, row.name = False, "After"
    row.save(update_fields=["name"])
    assert (stored(row).is_deleted, stored(row).name) == (True, "After")


def test_a_total_set_by_a_program_is_no_change():
    world = World()
    row = stored(world.order((world.rice, 1, 1)))
    row.total = 999
    row.save()
    assert events(row).count() == stored(row).version == stored(row).total == 1


def test_lines_set_beside_columns_that_were_not_read_are_saved():
    world = World()
    order = world.order((world.rice, 1, 1))
    row = SalesOrder.objects.defer("comment").get(pk=order.pk)
    row.lines = [{**order.lines[0], "quantity": 5}]
    assert row.comment == ""
    row.save()
    assert stored(row).lines[0]["quantity"] == 5
