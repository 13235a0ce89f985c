"""The monthly limit during an import: its documents are reserved, and all others
count."""

from __future__ import annotations

import pytest
from django.utils import timezone

from documents.licence_guard import admit_package
from documents.models import Document, SalesOrder
from importer.models import ImportRun
from importer.package.shapes import Mark
from importer.pipeline.ports import Write
from platform_site.changes.context import ChangeOrigin, acting_as
from platform_site.records import services
from platform_site.records.errors import LimitReached
from tests.catalogs.rows import boss
from tests.documents.rows import as_lines, day, sentences
from tests.documents.test_licence_guard import survey

pytestmark = pytest.mark.django_db


@pytest.fixture
def run_of_two(world, licensed):
    """Return an import in progress that was admitted with two documents of three."""
    licensed(documentsPerMonth=3)
    run = ImportRun.objects.create(package="orders", started_at=timezone.now())
    assert admit_package(Document.kinds(), [survey(2)]) == []
    return run


def imported(world, run, key):
    """Create an order as the import engine does."""
    values = {
        "date": day(1),
        "counterpartyId": world.partner.pk,
        "currencyId": world.eur.pk,
        "lines": as_lines([(world.rice, 1, 1)]),
    }
    with acting_as(boss(), ChangeOrigin.IMPORT, run.pk):
        draft = services.prepare(Write(values, boss()), SalesOrder)
        return services.commit(draft, Mark("Import", run.package, key, "hash"))


def test_others_leave_room_for_the_documents_of_a_run(world, run_of_two):
    world.order((world.rice, 1, 1))
    imported(world, run_of_two, "o1")
    with pytest.raises(LimitReached) as refusal:
        world.order((world.rice, 1, 1))
    assert sentences(refusal)[""] == (
        "The licence allows 3 documents a month, and 4 would be needed this month. "
        "The import in progress (orders) creates 2 of them."
    )
    imported(world, run_of_two, "o2")
    assert SalesOrder.objects.count() == 3


def test_an_unused_reservation_is_free_after_the_run(world, run_of_two):
    imported(world, run_of_two, "o1")
    ImportRun.objects.update(status=ImportRun.Status.FAILED)
    world.order((world.rice, 1, 1))
    world.order((world.rice, 1, 1))
    with pytest.raises(LimitReached) as refusal:
        world.order((world.rice, 1, 1))
    assert "in progress" not in str(refusal.value)


def test_documents_a_processor_creates_in_a_run_count_like_others(world, run_of_two):
    with acting_as(boss(), ChangeOrigin.IMPORT, run_of_two.pk):
        world.order((world.rice, 1, 1))
        with pytest.raises(LimitReached):
            world.order((world.rice, 1, 1))


def test_a_dry_run_reserves_nothing(world, licensed):
    licensed(documentsPerMonth=1)
    assert admit_package(Document.kinds(), [survey(1)]) == []
    world.order((world.rice, 1, 1))
