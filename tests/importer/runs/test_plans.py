"""Imports of the plan of a dry run: they write exactly that, and nothing else."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from documents.models import GoodsReceipt
from importer import services
from importer.models import ImportRun, PackagePiece
from importer.pipeline.run import Pipeline
from importer.runs import dry_runs
from importer.services import ImportOptions, NoPlan, PlanStale, UnknownRun
from tests.builders import (
    a_package,
    code,
    edit_row,
    make_row,
    outcomes,
    ref,
    row_of,
    units,
)
from tests.importer.documents.packages import company, line, receipts, trade

pytestmark = pytest.mark.django_db


def goods(**prices):
    package = units("pcs").with_step("Items")
    for name, price in prices.items():
        package.goods(f"item:{name}", name, code("pcs"), price=price)
    return package


@pytest.fixture
def carry_out(admin):
    """Return a function that imports the plan of a dry run."""

    def import_it(planned, *, user=None, **options):
        given = ImportOptions(**options)
        return services.import_plan(planned.run_id, given, user=user or admin)

    return import_it


def told(report):
    return [(e.id, e.outcome.value, e.message, e.changes) for e in report.items]


def entry_of(report, identifier):
    return next(one for one in report.items if one.id == identifier)


def test_a_plan_is_imported_as_it_was_planned(run, carry_out):
    run(goods(A="1", B="2"))
    planned = run(goods(A="5", B="2", C="3"), dry_run=True)
    report = carry_out(planned)
    assert told(report) == told(planned)
    assert row_of("Items", "A").price == 5
    stored = ImportRun.objects.get(pk=report.run_id)
    assert (stored.kind, stored.based_on_id) == ("plan", planned.run_id)
    assert set(outcomes(run(goods(A="5", B="2", C="3"))).values()) == {"Unchanged"}


def test_a_row_that_a_user_changed_meanwhile_is_not_written(run, carry_out, admin):
    run(goods(A="1", B="2"))
    package = goods(A="5", B="6")
    package.steps[1]["onUserModified"] = "overwrite"
    planned = run(package, dry_run=True)
    edit_row(row_of("Items", "A"), actor=admin, price="9")
    report = carry_out(planned)
    entry = entry_of(report, "item:A")
    assert entry.outcome == "SkippedUserModified"
    assert "changed since the dry run" in entry.message
    assert (row_of("Items", "A").price, row_of("Items", "B").price) == (9, 6)


def test_what_comes_out_otherwise_is_not_written_and_the_rest_is(run, carry_out):
    run(units("pcs"))
    planned = run(goods(A="1", B="2"), dry_run=True)
    run(goods(A="7"))
    report = carry_out(planned)
    entry = entry_of(report, "item:A")
    assert entry.outcome == "Failed"
    assert "changed since the dry run" in entry.message
    assert entry_of(report, "item:B").outcome == "Inserted"
    assert row_of("Items", "A").price == 7
    (problem,) = report.problems
    assert problem.code == "changed-since-dry-run"


def test_a_code_that_leads_to_another_row_now_is_not_followed(run, carry_out, admin):
    run(units("pcs", "box"))
    run(a_package("other").with_step("Items").goods("i", "A", code("pcs")))
    package = a_package("other").with_step("Items")
    planned = run(package.goods("i", "A", code("box")), dry_run=True)
    edit_row(row_of("UnitsOfMeasure", "box"), actor=admin, code="old")
    run(units("box", package="more"))
    report = carry_out(planned)
    assert entry_of(report, "i").outcome == "Failed"
    assert row_of("Items", "A").unit_of_measure.code == "pcs"


def test_dates_are_those_of_the_dry_run(run, carry_out, admin):
    run(company())
    package = receipts(("r", {**trade([line("RICE", "1")]), "date": "$now"}))
    planned = run(package, dry_run=True)
    assert not carry_out(planned).has_errors
    began = ImportRun.objects.get(pk=planned.run_id).started_at
    assert GoodsReceipt.objects.get().date == began


def test_references_to_new_rows_are_as_planned(run, carry_out):
    run(goods(A="1"))
    package = units("pcs").with_step("Items")
    package.folder("folder", "F")
    package.goods("item:A", "A", code("pcs"), price="1", parentId=ref("folder"))
    package.goods("item:N", "N", code("pcs"), price="1", parentId=code("F"))
    planned = run(package, dry_run=True)
    report = carry_out(planned)
    assert not report.has_errors
    assert row_of("Items", "A").parent.code == "F"
    assert row_of("Items", "N").parent.code == "F"


def test_only_planned_rows_are_deleted_as_missing(run, carry_out, admin):
    run(goods(A="1", B="2", C="3"))
    package = goods(A="1")
    package.steps[1] |= {"onMissing": "delete", "maxDelete": 2}
    planned = run(package, dry_run=True)
    edit_row(row_of("Items", "B"), actor=admin, name="Mine")
    report = carry_out(planned)
    assert outcomes(report) == {
        "unit:pcs": "Unchanged",
        "item:A": "Unchanged",
        "item:B": "Missing",
        "item:C": "Deleted",
    }


def test_a_row_whose_object_was_lost_since_is_not_deleted(run, carry_out):
    run(goods(A="1"))
    package = goods(A="1")
    package.steps[1] |= {"onMissing": "delete", "maxDelete": 2}
    planned = run(package, dry_run=True)
    run(goods(A="1", B="2"))
    report = carry_out(planned)
    entry = entry_of(report, "item:B")
    assert entry.outcome == "Missing"
    assert "changed since the dry run" in entry.message


def test_an_import_of_a_plan_with_errors_must_be_asked_for(run, carry_out):
    package = goods(A="1", B="-2")
    planned = run(package, dry_run=True)
    with pytest.raises(NoPlan, match="continueOnError"):
        carry_out(planned)
    report = carry_out(planned, continue_on_error=True)
    assert told(report) == told(planned)


def test_only_a_dry_run_that_is_kept_has_a_plan(run, carry_out, admin):
    with pytest.raises(UnknownRun):
        services.import_plan(uuid4(), user=admin)
    done = run(goods(A="1"))
    with pytest.raises(NoPlan, match="this was an import"):
        carry_out(done)
    planned = run(goods(A="2"), dry_run=True)
    PackagePiece.objects.all().delete()
    with pytest.raises(NoPlan, match="no longer kept"):
        carry_out(planned)
    assert row_of("Items", "A").price == 1


def test_a_plan_goes_with_its_dry_run(run):
    planned = run(goods(A="1"), dry_run=True)
    assert PackagePiece.objects.filter(run_id=planned.run_id).exists()
    ImportRun.objects.filter(pk=planned.run_id).delete()
    assert not PackagePiece.objects.exists()


def test_a_plan_keeps_its_dry_run_until_it_is_carried_out(run, carry_out, monkeypatch):
    planned = run(goods(A="1"), dry_run=True)
    read = Pipeline.read

    def late(self, named):
        old = timezone.now() - dry_runs.KEPT_FOR - timedelta(minutes=1)
        ImportRun.objects.filter(pk=planned.run_id).update(finished_at=old)
        services.remove_expired()
        return read(self, named)

    monkeypatch.setattr(Pipeline, "read", late)
    report = carry_out(planned)
    assert (report.status, told(report)) == ("Completed", told(planned))
    assert not ImportRun.objects.filter(pk=planned.run_id).exists()


def test_a_row_in_use_is_kept_for_the_reason_of_the_dry_run(run, carry_out, admin):
    run(goods(A="1", B="2"))
    unit = row_of("UnitsOfMeasure", "pcs").pk
    mine = {"code": "M", "name": "Mine", "category": "goods", "isFolder": False}
    make_row("Items", actor=admin, unitOfMeasureId=unit, **mine)
    package = goods(A="1", B="2")
    package.steps[0] |= {"onMissing": "delete", "maxDelete": 2}
    package.steps[0]["items"].clear()
    planned = run(package, dry_run=True)
    report = carry_out(planned)
    entry = entry_of(report, "unit:pcs")
    assert (entry.outcome, entry.message) == ("Missing", "kept: in use by items")
    assert entry.message == entry_of(planned, "unit:pcs").message


def test_a_plan_is_carried_out_once(run, carry_out):
    run(goods(A="1"))
    planned = run(goods(A="2", B="3"), dry_run=True)
    assert not carry_out(planned).has_errors
    with pytest.raises(PlanStale, match="carried out already") as refused:
        carry_out(planned)
    assert (refused.value.run_id, refused.value.moved) == (planned.run_id, 2)
