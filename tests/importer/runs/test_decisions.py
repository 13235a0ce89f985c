"""Decisions about kept rows: the package's values, or the row's own."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from documents.models import GoodsReceipt
from importer import services
from importer.models import ImportRun, PackagePiece
from importer.runs import kept_packages
from importer.runs.decisions import order_of_decision
from importer.runs.execution import execute
from importer.services import ImportInProgress, ImportOptions, KeptRows, NotDecidable
from platform_site.changes.models import ChangeEvent
from tests.builders import code, delete_row, edit_row, outcomes, ref, row_of, units
from tests.importer.documents.packages import company, line, receipts, trade

pytestmark = pytest.mark.django_db
USERS = "SkippedUserModified"


def goods(**prices):
    package = units("pcs").with_step("Items")
    for name, price in prices.items():
        package.goods(f"item:{name}", name, code("pcs"), price=price)
    return package


@pytest.fixture
def kept(run, admin):
    """Return a run that kept three rows: two that a user edited, one deleted."""
    run(goods(A="1", B="1", C="1", D="1"))
    edit_row(row_of("Items", "A"), actor=admin, price="7")
    edit_row(row_of("Items", "B"), actor=admin, price="8")
    delete_row(row_of("Items", "C"), actor=admin)
    return run(goods(A="2", B="2", C="2", D="2"))


@pytest.fixture
def take(admin):
    """Return a function that takes the package's values of kept rows."""

    def carry_out(report, *ids, **which):
        rows = KeptRows(frozenset(ids) if ids else None, **which)
        order = order_of_decision(report.run_id, rows, ImportOptions(), admin)
        with order.source:
            return execute(order)

    return carry_out


@pytest.fixture
def keep(admin):
    """Return a function that lets kept rows keep their own values."""

    def remember(report, *ids, **which):
        rows = KeptRows(frozenset(ids) if ids else None, **which)
        return services.keep_own_values(report.run_id, rows, user=admin)

    return remember


def price_of(name):
    return row_of("Items", name).price


def again(run):
    return outcomes(run(goods(A="2", B="2", C="2", D="2")))


def test_taking_the_packages_values_writes_only_the_chosen_rows(kept, take, run):
    report = take(kept, "item:A")
    assert outcomes(report) == {"item:A": "Updated"}
    assert report.counts["Updated"] == 1
    assert (price_of("A"), price_of("B")) == (2, 8)
    stored = ImportRun.objects.get(pk=report.run_id)
    assert (stored.kind, stored.based_on_id) == ("decision", kept.run_id)
    assert (stored.done, stored.total) == (1, 1)
    found = again(run)
    assert (found["item:A"], found["item:B"]) == ("Unchanged", USERS)


def test_a_deleted_row_comes_back_with_the_packages_values(kept, take, run):
    assert outcomes(take(kept, "item:C")) == {"item:C": "Restored"}
    assert price_of("C") == 2
    assert again(run)["item:C"] == "Unchanged"


def test_all_of_a_filter_are_decided_at_once(kept, take, run):
    report = take(kept, outcome=USERS)
    assert outcomes(report) == {"item:A": "Updated", "item:B": "Updated"}
    with pytest.raises(NotDecidable, match="no such kept rows"):
        take(kept, search="nothing like this")


def test_a_row_keeps_its_values_until_its_object_changes(kept, keep, run):
    events = ChangeEvent.objects.count()
    before = row_of("Items", "A")
    assert keep(kept, "item:A") == 1
    after = row_of("Items", "A")
    assert (after.version, after.modified) == (before.version, before.modified)
    assert ChangeEvent.objects.count() == events
    assert again(run)["item:A"] == "Unchanged"
    later = run(goods(A="3", B="2", D="2"))
    assert outcomes(later)["item:A"] == USERS
    assert price_of("A") == 7


def test_a_deleted_row_stays_deleted_without_a_decision(kept, keep, run):
    assert keep(kept) == 2
    assert again(run)["item:C"] == "SkippedDeleted"


def test_an_object_refers_to_others_that_are_not_chosen(run, take, admin):
    package = units("pcs", "box").with_step("Items")
    run(package.goods("i", "I", ref("unit:pcs")))
    edit_row(row_of("Items", "I"), actor=admin, name="Mine")
    changed = units("pcs", "box").with_step("Items")
    kept = run(changed.goods("i", "I", ref("unit:box"), name="Theirs"))
    take(kept, "i")
    row = row_of("Items", "I")
    assert (row.name, row.unit_of_measure.code) == ("Theirs", "box")


def test_what_waits_for_a_decision_is_known(kept, take, keep):
    run = services.get_run(kept.run_id)
    assert services.undecided(run, kept.items) == {"item:A", "item:B", "item:C"}
    take(kept, "item:A")
    keep(kept, "item:B")
    assert services.undecided(run, kept.items) == {"item:C"}


def test_a_conflict_of_a_merge_is_decided(run, take, keep, admin):
    package = goods(A="1", B="1")
    package.steps[1]["onUserModified"] = "merge"
    run(package)
    for name in "AB":
        edit_row(row_of("Items", name), actor=admin, price="7")
    for item in package.steps[1]["items"]:
        item |= {"price": "2", "name": "New"}
    merged = run(package)
    assert outcomes(merged)["item:A"] == "Updated"
    assert price_of("A") == 7
    stored = services.get_run(merged.run_id)
    assert services.undecided(stored, merged.items) == {"item:A", "item:B"}
    take(merged, "item:A")
    assert keep(merged, "item:B") == 1
    assert services.undecided(stored, merged.items) == set()
    assert set(outcomes(run(package)).values()) == {"Unchanged"}
    assert (price_of("A"), price_of("B")) == (2, 7)


def test_only_kept_rows_can_be_decided_about(kept, take, keep):
    with pytest.raises(NotDecidable, match="item:D"):
        take(kept, "item:A", "item:D")
    with pytest.raises(NotDecidable, match="item:X"):
        keep(kept, "item:X")
    assert price_of("A") == 7


def test_only_the_newest_import_of_a_package_is_decided_about(kept, take, run):
    again(run)
    with pytest.raises(NotDecidable, match="newest import"):
        take(kept, "item:A")
    planned = run(goods(A="3"), dry_run=True)
    with pytest.raises(NotDecidable, match="dry run keeps no rows"):
        take(planned, "item:A")


def test_an_import_without_kept_rows_keeps_no_package(run):
    run(goods(A="1"))
    assert not PackagePiece.objects.exists()


def test_nothing_is_decided_during_an_import(kept, keep):
    with services.import_lock("somebody", "an import"), pytest.raises(ImportInProgress):
        keep(kept, "item:A")


def test_the_undo_of_an_earlier_run_leaves_the_decisions_open(run, take, admin):
    run(goods(A="1", B="1"))
    second = run(goods(A="1", B="2"))
    edit_row(row_of("Items", "A"), actor=admin, price="7")
    kept = run(goods(A="2", B="2"))
    services.undo_run(second.run_id, user=admin)
    kept_packages.remove_old()
    assert outcomes(take(kept, "item:A")) == {"item:A": "Updated"}
    assert price_of("A") == 2


def test_a_decision_about_a_plan_has_the_dates_of_its_dry_run(run, take, admin):
    run(company())
    changing = {"submit": False, "onChange": "update"}
    run(receipts(("r", trade([line("RICE", "1")])), **changing))
    edit_row(GoodsReceipt.objects.get(), actor=admin, comment="Mine")
    package = receipts(("r", {**trade([line("RICE")]), "date": "$now"}), **changing)
    planned = run(package, dry_run=True)
    earlier = timezone.now() - timedelta(hours=20)
    ImportRun.objects.filter(pk=planned.run_id).update(started_at=earlier)
    done = services.import_plan(planned.run_id, user=admin)
    assert outcomes(done) == {"r": USERS}
    assert outcomes(take(done, "r")) == {"r": "Updated"}
    assert GoodsReceipt.objects.get().date == earlier
