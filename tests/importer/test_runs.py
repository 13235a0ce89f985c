"""The history of runs: records, progress, reports, and stopping."""

from __future__ import annotations

import copy
import io
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from importer import services
from importer.models import AppliedPackage, ImportRun
from importer.services import ImportInProgress, ImportOptions, RunExists
from tests.builders import a_package, model_of, outcomes, units

pytestmark = pytest.mark.django_db


def many(count, **keys):
    return units(*(f"u{number}" for number in range(count)), **keys)


def doubled_code():
    package = units("a", "b", "c")
    package.steps[0]["items"][1]["code"] = "a"
    return package


@pytest.fixture
def keep_runs(settings):
    def keep(count):
        changed = copy.deepcopy(settings.IMPORTER)
        settings.IMPORTER = {**changed, "RUNS_TO_KEEP": count}

    return keep


def test_a_run_stores_its_record(run, admin):
    """IMP-144."""
    before = timezone.now()
    report = run(units("pcs"), time_zone="Europe/Berlin")
    record = services.get_run(report.run_id)
    assert (record.package, record.version, record.origin) == ("corpus.a", 1, "Import")
    assert record.status == "Completed"
    assert (record.started_by, record.started_by_name) == (admin, "admin")
    assert record.time_zone == "Europe/Berlin"
    assert before <= record.started_at <= record.finished_at <= timezone.now()
    assert (record.done, record.total) == (1, 1)
    assert record.counts["Inserted"] == 1
    assert not record.has_errors
    assert not record.continue_on_error


def test_the_stored_report_is_the_one_that_was_returned(run):
    """IMP-144, IMP-280."""
    report = run(doubled_code(), continue_on_error=True)
    stored = services.get_report(report.run_id)
    assert list(stored.items) == list(report.items)
    assert stored.counts == report.counts
    assert stored.diagnostics == report.diagnostics
    assert stored.has_errors
    assert stored.items[1].outcome == "Failed"
    assert [r.id for r in stored.items.with_outcome("Failed")] == ["unit:b"]


def test_a_long_report_can_be_read_in_pages(run):
    package = many(1005)
    package.steps[0]["items"][1003]["code"] = "u0"
    report = services.get_report(run(package, continue_on_error=True).run_id)
    assert len(report.items) == 1005
    assert [r.index for r in report.items[998:1002]] == [998, 999, 1000, 1001]
    assert report.items[-1].id == "unit:u1004"
    assert report.items[1003].outcome == "Failed"
    with pytest.raises(IndexError):
        report.items[1005]


def test_changes_in_a_stored_report_are_unchanged(run):
    run(a_package().with_step("Currencies").unit("c", "EUR", name="x" * 250))
    changed = a_package().with_step("Currencies")
    report = run(changed.unit("c", "EUR", name="Euro", minorUnits=2))
    (stored,) = services.get_report(report.run_id).items
    before, after = stored.changes["name"]
    assert (before, after) == ("x" * 200 + "…", "Euro")
    assert stored.changes["minorUnits"] == [None, 2]


def test_a_dry_run_leaves_nothing_in_the_history(run, everything):
    """IMP-145."""
    before = everything()
    report = run(units("pcs"), dry_run=True)
    assert everything() == before
    assert report.run_id not in [run.run_id for run in services.list_runs()]


def test_a_package_with_invalid_steps_is_recorded_with_its_name(run):
    wrong = units("a", package="spring")
    wrong.steps[0]["dictionary"] = "Unicorns"
    record = ImportRun.objects.get(run_id=run(wrong).run_id)
    assert (record.status, record.package, record.version) == ("Failed", "spring", 1)
    twice = units("a", "a", package="autumn")
    record = ImportRun.objects.get(run_id=run(twice).run_id)
    assert (record.status, record.package) == ("Failed", "autumn")


def test_a_broken_package_is_recorded_without_a_name(run):
    report = run(b"{")
    record = services.get_run(report.run_id)
    assert (record.status, record.package, record.version) == ("Failed", "", None)
    assert record.has_errors
    assert services.get_report(report.run_id).diagnostics == report.diagnostics


def test_a_stopped_run_says_how_far_it_came(run):
    report = run(doubled_code())
    record = services.get_run(report.run_id)
    assert record.status == "Failed"
    assert (record.done, record.total) == (2, 3)
    assert report.diagnostics[-1].message == "1 object was not reached."


def test_a_repeated_run_continues_where_the_last_one_stopped(run):
    run(doubled_code())
    report = run(units("a", "b", "c"))
    assert list(outcomes(report).values()) == ["Unchanged", "Inserted", "Inserted"]


def test_the_applied_version_is_that_of_the_last_clean_run(run):
    """OPEN-48."""
    run(units("pcs"))
    assert AppliedPackage.objects.get(package="corpus.a").version == 1
    second = units("pcs")
    second.header["version"] = 2
    for package, options in (
        (doubled_code(), {}),
        (doubled_code(), {"continue_on_error": True}),
        (second, {"dry_run": True}),
    ):
        package.header["version"] = 2
        run(package, **options)
        assert AppliedPackage.objects.get(package="corpus.a").version == 1
    report = run(second)
    applied = AppliedPackage.objects.get(package="corpus.a")
    assert applied.version == 2
    assert applied.applied_at == services.get_run(report.run_id).finished_at


def test_a_cancelled_run_applies_no_version(run):
    run(units("pcs"), cancellation=After(0))
    assert not AppliedPackage.objects.exists()


def test_only_the_newest_runs_of_a_package_are_kept(run, keep_runs):
    """OPEN-49."""
    keep_runs(2)
    other = run(units("x", package="corpus.b")).run_id
    found = [run(units("pcs")).run_id for _ in range(4)]
    kept = set(ImportRun.objects.values_list("run_id", flat=True))
    assert kept == {other, *found[2:]}
    assert services.get_report(found[0]) is None
    assert services.get_report(found[3]) is not None


def test_a_run_in_progress_is_never_pruned(run, keep_runs):
    keep_runs(1)
    run(units("pcs"))
    ImportRun.objects.update(started_at=timezone.now() - timedelta(days=1))
    seen = []

    def look(stage, done, total):
        seen.append(ImportRun.objects.filter(status="Running").count())

    run(units("pcs"), progress=look)
    assert set(seen) == {1}
    assert ImportRun.objects.count() == 1


def test_a_given_run_id_is_used(run):
    """IMP-126, OPEN-43, OPEN-65."""
    run_id = uuid4()
    assert run(units("pcs"), run_id=run_id).run_id == run_id
    assert services.get_run(run_id).status == "Completed"


def test_a_run_id_of_the_history_is_refused(run, business):
    """OPEN-43."""
    run_id = run(units("pcs")).run_id
    before = business()
    with pytest.raises(RunExists, match=str(run_id)):
        run(units("kg"), run_id=run_id)
    assert business() == before
    assert not run(units("kg")).has_errors, "the lock was not given back"


def test_progress_reports_the_stages_in_order(run):
    told = []
    run(many(5), window=2, progress=lambda *progress: told.append(progress))
    assert told[-1] == ("importing", 5, 5)
    assert ("checking", 5, 5) in told
    importing = [done for stage, done, _ in told if stage == "importing"]
    assert importing == [2, 4, 5]
    planned = []
    run(many(5), dry_run=True, progress=lambda *progress: planned.append(progress))
    assert planned[-1] == ("planning", 5, 5)


class After:
    """A cancellation that cancels after a number of checks."""

    def __init__(self, times):
        self.left = times

    def is_set(self):
        self.left -= 1
        return self.left < 0


def test_a_cancelled_run_stops_between_two_objects(run):
    report = run(many(10), cancellation=After(4))
    written = model_of("UnitsOfMeasure").objects.count()
    assert report.status == "Interrupted"
    assert 0 < written < 10
    assert len(report.items) == written
    assert f"{10 - written} objects were not reached." in report.diagnostics[-1].message
    record = services.get_run(report.run_id)
    assert (record.status, record.done) == ("Interrupted", written)
    again = run(many(10))
    assert again.counts["Unchanged"] == written
    assert again.counts["Inserted"] == 10 - written


def test_an_import_inside_an_import_is_refused(run):
    refused = []

    def start_another(stage, done, total):
        with pytest.raises(ImportInProgress) as refusal:
            run(units("inner"))
        refused.append(str(refusal.value))

    assert not run(units("pcs"), progress=start_another).has_errors
    assert "started by admin" in refused[0]


def test_an_import_takes_part_in_the_callers_transaction(admin, business):
    before = business()
    with transaction.atomic():
        source = io.BytesIO(units("pcs").as_bytes())
        report = services.import_package(source, ImportOptions(), user=admin)
        assert report.counts["Inserted"] == 1
        assert model_of("UnitsOfMeasure").objects.count() == 1
        transaction.set_rollback(True)
    assert business() == before


@pytest.mark.django_db(transaction=True)
def test_a_refused_object_leaves_nothing_behind(admin):
    source = io.BytesIO(doubled_code().as_bytes())
    services.import_package(source, ImportOptions(), user=admin)
    rows = model_of("UnitsOfMeasure").objects
    assert list(rows.values_list("code", flat=True)) == ["a"]


def test_an_unexpected_error_ends_the_run_with_a_record(run, monkeypatch):
    target = type(services.registry.targets()["UnitsOfMeasure"])

    def broken(self, prepared, mark):
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr(target, "commit", broken)
    report = run(units("pcs"))
    assert (report.status, report.has_errors) == ("Failed", True)
    assert "secret" not in report.diagnostics[0].message
    assert services.get_run(report.run_id).status == "Failed"
    monkeypatch.undo()
    assert not run(units("pcs")).has_errors
