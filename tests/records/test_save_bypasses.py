"""Ways that look as if they led round a row's save: they go through it, or are refused."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.db import transaction

from catalogs.models import BankAccount, Currency, Item, Warehouse
from platform_site.records.errors import Refusal, WriteRefused
from tests.catalogs.rows import a_unit, an_item, events, stored
from tests.documents.rows import World
from tests.records.imported import columns

pytestmark = pytest.mark.django_db


def test_a_queryset_and_a_related_manager_create_by_saving():
    currency = Currency.objects.create(code="EUR", name="Euro")
    assert events(currency).count() == 1
    account, made = currency.bank_accounts.get_or_create(code="B", name="Bank")
    assert made
    again, made = BankAccount.objects.update_or_create(
        code="B", defaults={"name": "Changed"}
    )
    assert (again.pk, made) == (account.pk, False)
    assert [event.action for event in events(account).order_by("id")] == [
        "created",
        "updated",
    ]
    with pytest.raises(Refusal):
        currency.bank_accounts.create(code="", name="Bank")
    with pytest.raises(Refusal):
        Currency.objects.update_or_create(code="EUR", defaults={"minor_units": 7})
    assert stored(currency).minor_units is None


@pytest.mark.parametrize(
    "write",
    [
        lambda unit, item: unit.items.add(item),
        lambda unit, item: unit.items.set([item]),
        lambda unit, item: unit.items.update(name="x"),
        lambda unit, item: item.unit_of_measure.items.clear(),
        lambda unit, item: item.unit_of_measure.items.remove(item),
        lambda unit, item: Item._base_manager.update(name="x"),
        lambda unit, item: Item.objects.filter(pk=item.pk).delete(),
        lambda unit, item: item.delete(),
    ],
    ids=["add", "set", "update", "clear", "remove", "base manager", "delete", "row"],
)
def test_what_would_write_past_a_save_is_refused(write):
    unit, item = a_unit(), an_item()
    before = columns(item)
    with pytest.raises(WriteRefused, match="save"), transaction.atomic():
        write(unit, item)
    assert columns(item) == before


@pytest.mark.parametrize(
    "write",
    [
        lambda order, line: line.save(),
        lambda order, line: line.delete(),
        lambda order, line: order.line_rows.all().delete(),
        lambda order, line: order.line_rows.update(quantity=5),
        lambda order, line: order.line_rows.add(line),
        lambda order, line: order.line_rows.create(number=9, item=line.item),
        lambda order, line: type(line).objects.bulk_create([line]),
    ],
    ids=["save", "delete", "delete all", "update", "add", "create", "bulk_create"],
)
def test_lines_are_written_with_their_document_alone(write):
    world = World()
    order = world.order((world.rice, 1, 1))
    line = order.line_rows.get()
    with pytest.raises(WriteRefused, match="lines"), transaction.atomic():
        write(order, line)
    assert stored(order).lines == order.lines


# -- fixtures ------------------------------------------------------------------------------


def load(path, model, **fields):
    path.write_text(json.dumps([{"model": model, "pk": 77, "fields": fields}]))
    call_command("loaddata", str(path), verbosity=0)


def test_a_fixture_is_judged_and_recorded(tmp_path):
    path = tmp_path / "rows.json"
    with pytest.raises(Refusal):
        load(path, "catalogs.warehouse", code="", name="Main")
    assert not Warehouse.objects.exists()
    load(path, "catalogs.warehouse", code="M", name="Main")
    load(path, "catalogs.warehouse", code="M", name="Main")
    load(path, "catalogs.warehouse", code="M", name="New")
    row = Warehouse.objects.get(pk=77)
    assert (row.name, row.version) == ("New", 2)
    assert [event.action for event in events(row).order_by("id")] == [
        "created",
        "updated",
    ]


def test_a_fixture_writes_no_lines(tmp_path):
    world = World()
    order = world.order((world.rice, 1, 1))
    path = tmp_path / "rows.json"
    line = {"document": order.pk, "item": world.rice.pk, "number": 2}
    with pytest.raises(WriteRefused):
        load(
            path,
            "documents.salesorderline",
            **line,
            quantity="1",
            price="1",
            amount="1",
        )
    assert len(stored(order).lines) == 1
