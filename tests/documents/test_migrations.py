"""What the migrations of documents make of rows that exist already."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection, models

from documents.models import GoodsIssue, SalesOrder

FILL = import_module("documents.migrations.0009_progress_of_documents").fill_progress


@pytest.mark.django_db
def test_the_progress_of_stored_documents_is_filled_in(world):
    world.receipt((world.rice, 50, 1), (world.tea, 50, 1))
    orders = [world.order((world.rice, 2, 2), (world.tea, 1, 2)) for _ in range(3)]
    part = world.issue((world.rice, 2, 2), on=2, orderId=orders[1].pk)
    whole = [(world.rice, 2, 2), (world.tea, 1, 2)]
    world.issue(*whole, on=2, orderId=orders[2].pk)
    world.issue(*whole, on=2, orderId=orders[0].pk, post=False)
    world.payment("3.5", issueId=part.pk)
    world.payment(1, issueId=part.pk, isIncome=False)
    world.payment(1, issueId=part.pk, bankAccountId=world.dollars.pk)

    def progress():
        names = ("is_delivered", "is_part_delivered")
        found = SalesOrder.objects.order_by("pk").values_list(*names)
        return list(found), list(
            GoodsIssue.objects.order_by("pk").values_list("paid", flat=True)
        )

    kept = progress()
    assert kept[0] == [(False, False), (False, True), (True, False)]
    assert kept[1][0] == 2.5
    empty = {"is_delivered": False, "is_part_delivered": False}
    models.QuerySet(SalesOrder).update(**empty)
    models.QuerySet(GoodsIssue).update(paid=0)
    FILL(apps, SimpleNamespace(connection=connection))
    assert progress() == kept
