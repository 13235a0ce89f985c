"""The count of register changes, which invalidates cached results."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction

from documents.models import LedgerEntry, StockBalance, StockMovement
from documents.posting.recosting import Period, recalculate_costs
from documents.registers.generation import generation
from documents.registers.register import changing_registers
from platform_site.records import services as records
from platform_site.records.errors import Refusal, WriteRefused
from tests.catalogs.rows import boss, stored
from tests.documents.rows import World, as_lines, delete, edit, post, unpost

MARCH = Period(datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC))


def erase(row):
    records.erase_record(row=stored(row), actor=boss())


@pytest.mark.django_db
@pytest.mark.parametrize("write", [unpost, delete, erase])
def test_unposting_counts_as_a_change(world, write):
    receipt = world.receipt((world.rice, 10, 2))
    before = generation()
    write(receipt)
    assert generation() > before


@pytest.mark.django_db
def test_posting_editing_and_recosting_count_as_changes(world):
    seen = [generation()]
    world.receipt((world.rice, 10, 2), on=1)
    seen.append(generation())
    issue = world.issue((world.rice, 2, 3), on=5)
    seen.append(generation())
    edit(issue, lines=as_lines([(world.rice, 3, 3)]))
    seen.append(generation())
    world.receipt((world.rice, 10, 8), on=2)
    seen.append(generation())
    assert recalculate_costs(period=MARCH, actor=boss()).changed == 1
    seen.append(generation())
    assert seen == sorted(set(seen))


@pytest.mark.django_db
def test_rolled_back_writes_and_orders_do_not_count(world):
    issue = world.issue((world.rice, 2, 3), post=False)
    before = generation()
    with pytest.raises(Refusal):
        post(issue)
    edit(issue, comment="x")
    assert generation() == before


@pytest.mark.django_db
@pytest.mark.parametrize("register", [StockMovement, LedgerEntry, StockBalance])
def test_register_writes_outside_the_counting_block_are_refused(world, register):
    world.receipt((world.rice, 10, 2))
    row = register.objects.first()
    rows = register.objects.all()
    for write in (
        row.save,
        row.delete,
        rows.delete,
        lambda: rows.update(item_id=1),
        lambda: rows.bulk_create([row]),
        lambda: rows.bulk_update([row], ["id"]),
        lambda: register.objects.create(),
    ):
        with pytest.raises(WriteRefused):
            write()


@pytest.mark.django_db(transaction=True)
def test_registers_change_within_a_transaction_only():
    with pytest.raises(WriteRefused), changing_registers():
        pass


@pytest.mark.django_db(transaction=True)
def test_concurrent_postings_do_not_wait_for_the_counter():
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer.")
    world = World()
    row = world.receipt((world.tea, 1, 1), post=False)
    before, done = generation(), []

    def other():
        try:
            post(row)
            done.append(generation())
        finally:
            connection.close()

    with transaction.atomic():
        world.receipt((world.rice, 1, 1))
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(20)
        assert done == [before + 1]
    assert generation() == before + 2
