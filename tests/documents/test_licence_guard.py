"""The licence limits of documents per month and lines per document, for single saves
and whole packages. Existing documents stay editable."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from django.db import connection, models

from documents import services
from documents.licence_guard import (
    created_this_month,
    judge_package,
    month_of,
)
from documents.models import BankReceipt, Document, GoodsIssue, SalesOrder
from importer.package.shapes import Step
from importer.package.step_policies import OnChange, Policy
from importer.pipeline.survey import Survey
from licensing.limits import FREE, LicenceLimits
from platform_site.records.errors import LimitReached, Refusal
from platform_site.records.services import erase_record
from tests.catalogs.rows import boss, stored
from tests.documents.rows import (
    World,
    as_lines,
    delete,
    edit,
    restore,
    sentences,
)

MANY = "The licence allows 2 documents a month, and 3 would be needed this month."
LONG = "The licence allows 2 lines in a document, and %s would have 3."


# -- by hand ---------------------------------------------------------------------------


@pytest.mark.django_db
def test_one_document_too_many_in_a_month_is_refused(world, licensed):
    """HOST-166."""
    licensed(documentsPerMonth=2)
    world.payment("1")
    order = world.order((world.rice, 1, 1))
    for create in (world.order, world.receipt, world.issue):
        with pytest.raises(LimitReached) as refusal:
            create((world.rice, 1, 1))
        assert sentences(refusal) == {"": MANY}
    with pytest.raises(LimitReached):
        services.create_from(
            source=order, target=GoodsIssue, overrides={}, actor=boss()
        )
    assert sum(kind.objects.count() for kind in Document.kinds()) == 2


@pytest.mark.django_db
def test_a_refused_document_draws_no_number(world, licensed):
    licensed(documentsPerMonth=1)
    world.order((world.rice, 1, 1))
    with pytest.raises(LimitReached):
        world.order((world.rice, 1, 1))
    licensed()
    assert world.order((world.rice, 1, 1)).code == "SO-2026-000002"


@pytest.mark.django_db
def test_deleted_documents_count_and_erased_ones_do_not(world, licensed):
    licensed(documentsPerMonth=1)
    order = world.order((world.rice, 1, 1))
    delete(order)
    with pytest.raises(LimitReached):
        world.order((world.rice, 1, 1))
    erase_record(row=stored(order), actor=boss())
    world.order((world.rice, 1, 1))


@pytest.mark.django_db
def test_a_document_counts_in_the_month_of_its_creation(world, licensed):
    licensed(documentsPerMonth=1)
    first = world.order((world.rice, 1, 1), on="2001-01-01T00:00:00Z")
    with pytest.raises(LimitReached):
        world.order((world.rice, 1, 1), on="2002-01-01T00:00:00Z")
    start, _ = month_of(first.created)
    before = start.replace(year=start.year - 1)
    models.QuerySet(SalesOrder).filter(pk=first.pk).update(created=before)
    world.order((world.rice, 1, 1))
    assert created_this_month(Document.kinds()) == 1


@pytest.mark.django_db
def test_documents_above_the_limit_stay_editable(world, licensed):
    order = world.order((world.rice, 1, 1), (world.tea, 1, 1), (world.rice, 2, 1))
    world.receipt((world.rice, 1, 1))
    licensed(documentsPerMonth=1, linesPerDocument=2)
    edit(order, comment="Still mine")
    edit(order, lines=as_lines([(world.rice, 5, 1)] * 3))
    services.post(row=stored(order), actor=boss())
    delete(order)
    restore(order)
    with pytest.raises(LimitReached):
        edit(order, lines=as_lines([(world.rice, 5, 1)] * 4))
    edit(order, lines=as_lines([(world.rice, 5, 1)] * 2))
    with pytest.raises(LimitReached) as refusal:
        edit(order, lines=as_lines([(world.rice, 5, 1)] * 3))
    assert sentences(refusal) == {"lines": LONG % order.code}


@pytest.mark.django_db
def test_too_many_lines_are_reported_at_the_lines(world, licensed):
    licensed(linesPerDocument=2)
    world.order(*[(world.rice, 1, 1)] * 2)
    with pytest.raises(LimitReached) as refusal:
        world.order(*[(world.rice, 1, 1)] * 3)
    assert sentences(refusal) == {"lines": LONG % "this document"}


@pytest.mark.django_db
def test_without_a_licence_the_free_limits_apply(world):
    """HOST-167."""
    world.order(*[(world.rice, 1, 1)] * 200)
    with pytest.raises(LimitReached) as refusal:
        world.order(*[(world.rice, 1, 1)] * 201)
    assert "200 lines" in sentences(refusal)["lines"]


@pytest.mark.django_db
def test_counting_costs_two_queries_and_none_without_a_limit(
    world, licensed, connection_queries
):
    # The first that is counted in an installation makes the reservation's row.
    licensed(documentsPerMonth=100)
    world.payment("1", post=False)
    licensed()
    free = connection_queries(lambda: world.payment("1", post=False))
    licensed(documentsPerMonth=100)
    counted = connection_queries(lambda: world.payment("1", post=False))
    assert counted - free == 2


@pytest.mark.django_db(transaction=True)
def test_two_writers_do_not_share_the_last_place(licensed):
    world = World()
    world.payment("1", post=False)
    world.order((world.rice, 1, 1))
    licensed(documentsPerMonth=3)
    refused, actor = [], boss()
    start = threading.Barrier(2)

    def write(create):
        start.wait()
        try:
            create()
        except LimitReached:
            refused.append(create)
        finally:
            connection.close()

    assert actor
    writers = [
        threading.Thread(target=write, args=[create])
        for create in (
            lambda: world.payment("1", post=False),
            lambda: world.order((world.rice, 1, 1)),
        )
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(refused) == 1
    assert SalesOrder.objects.count() + BankReceipt.objects.count() == 3


@pytest.mark.django_db
def test_limits_and_other_errors_are_reported_together(world, licensed):
    """OPEN-83."""
    world.payment("1", post=False)
    licensed(documentsPerMonth=1, linesPerDocument=2)
    wrong = as_lines([(world.rice, 1, -1)] * 3)
    with pytest.raises(Refusal) as refusal:
        world.order(lines=wrong)
    assert not isinstance(refusal.value, LimitReached)
    found = sentences(refusal)
    assert "a month" in found[""]
    assert found["lines"] == LONG % "this document"
    assert "lines[0].price" in found
    with pytest.raises(LimitReached) as refusal:
        world.order(*[(world.rice, 1, 1)] * 3)
    assert set(sentences(refusal)) == {"", "lines"}
    assert refusal.value.members["limit"] == "linesPerDocument"


# -- a package, from its surveys alone -------------------------------------------------


def survey(new, lines=0):
    step = Step(0, "document", "SalesOrders", Policy(OnChange.SKIP), fields=())
    return Survey(step, new, lines, "steps[0].items[4] (o4)")


def test_a_package_within_the_limits_is_admitted():
    assert list(judge_package(FREE, 990, [survey(4, 200), survey(6)])) == []
    unlimited = LicenceLimits(None, None, None)
    assert list(judge_package(unlimited, 10**6, [survey(10**6, 10**6)])) == []


def test_a_package_is_checked_with_the_documents_of_the_month():
    found = list(judge_package(FREE, 990, [survey(4), survey(7)]))
    assert found == [
        "The licence allows 1,000 documents a month, and 1,001 would be needed this "
        "month."
    ]


def test_a_package_without_documents_is_admitted_above_the_limit():
    assert list(judge_package(FREE, 5000, [survey(0), survey(0)])) == []


def test_both_limits_are_reported_together():
    month, lines = judge_package(FREE, 0, [survey(1001, 12), survey(0, 201)])
    assert "1,001 would be needed this month" in month
    assert lines == (
        "The licence allows 200 lines in a document, and steps[0].items[4] (o4) would "
        "have 201."
    )


@pytest.mark.parametrize(
    ("moment", "start", "end"),
    [
        (datetime(2026, 1, 31, 23, tzinfo=UTC), (2026, 1), (2026, 2)),
        (datetime(2026, 12, 1, tzinfo=UTC), (2026, 12), (2027, 1)),
        (datetime(2026, 11, 30, 23, 59, tzinfo=UTC), (2026, 11), (2026, 12)),
        (datetime.fromisoformat("2026-12-01T00:30:00+02:00"), (2026, 11), (2026, 12)),
    ],
)
def test_months_are_those_of_utc(moment, start, end):
    first = [datetime(*each, 1, tzinfo=UTC) for each in (start, end)]
    assert month_of(moment) == tuple(first)
