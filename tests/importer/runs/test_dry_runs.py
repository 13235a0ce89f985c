"""Dry runs are kept for a day, up to a limit, and decide what may be imported."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from unittest import mock

import pytest
from django.utils import timezone

from importer import services
from importer.models import AppliedPackage, ImportRun, ReportChunk
from importer.runs import dry_runs, history
from tests.builders import units
from tests.importer.background import finish_runs

pytestmark = pytest.mark.django_db


def doubled():
    package = units("a", "b")
    package.steps[0]["items"][1]["code"] = "a"
    return package


def digest_of(package):
    return hashlib.sha256(package.as_bytes()).hexdigest()


def test_the_report_of_a_dry_run_can_be_read_again(run):
    report = run(doubled(), dry_run=True)
    record = services.get_run(report.run_id)
    assert (record.dry_run, record.status, record.has_errors) == (
        True,
        "Completed",
        True,
    )
    assert (record.package, record.done, record.total) == ("corpus.a", 2, 2)
    stored = services.get_report(report.run_id)
    assert stored == report or list(stored.items) == list(report.items)
    failed = services.report_entries(report.run_id, outcome="Failed")
    assert [result.id for result in failed] == ["unit:b"]


def test_a_dry_run_expires_after_a_day(run):
    """OPEN-45."""
    run_id = run(units("a"), dry_run=True).run_id
    later = timezone.now() + timedelta(hours=24, minutes=1)
    assert services.get_run(run_id) is not None
    with mock.patch("django.utils.timezone.now", return_value=later):
        assert services.get_run(run_id) is None
        assert services.get_report(run_id) is None
        services.remove_expired()
    assert not ImportRun.objects.exists()
    assert not ReportChunk.objects.exists()


def test_the_next_run_removes_expired_dry_runs(run):
    old = run(units("a"), dry_run=True).run_id
    ended = timezone.now() - timedelta(hours=24, minutes=1)
    ImportRun.objects.update(finished_at=ended)
    run(units("a"))
    assert not ImportRun.objects.filter(pk=old).exists()


def test_a_dry_run_is_not_in_the_history(run, business):
    before = business()
    run(units("a", package="garden"), dry_run=True)
    assert business() == before
    assert not services.list_runs().exists()
    assert not services.list_runs("garden").exists()
    assert not AppliedPackage.objects.exists()


def test_dry_runs_do_not_count_among_the_real_runs_to_keep(run, importer_settings):
    importer_settings(RUNS_TO_KEEP=1)
    first = run(units("a")).run_id
    dry = run(units("a"), dry_run=True).run_id
    assert services.get_run(first) is not None
    run(units("a"))
    assert services.get_run(first) is None
    assert services.get_run(dry) is not None


def test_a_dead_dry_run_is_interrupted_without_rows_of_others(run):
    run(units("a"))
    dead = run(units("a"), dry_run=True).run_id
    began = timezone.now() - timedelta(hours=1)
    ReportChunk.objects.filter(run=dead).delete()
    ImportRun.objects.filter(pk=dead).update(
        status="Running", finished_at=None, counts={}, started_at=began
    )
    assert services.mark_interrupted_runs() == 1
    stored = services.get_run(dead)
    assert (stored.status, stored.dry_run, stored.done) == ("Interrupted", True, 0)
    assert list(services.get_report(dead).items) == []
    assert services.running_run() is None


def test_only_the_newest_twenty_dry_runs_are_kept(run):
    found = [run(units("a"), dry_run=True).run_id for _ in range(22)]
    known = [services.get_run(run_id) is not None for run_id in found]
    assert known == [False] * 2 + [True] * 20


@pytest.mark.parametrize("limit", ["MOST_ENTRIES", "MOST_BYTES"])
def test_older_reports_are_removed_for_newer_ones(run, monkeypatch, limit):
    first = run(units("a", "b"), dry_run=True).run_id
    (chunk,) = ReportChunk.objects.filter(run=first)
    room = {"MOST_ENTRIES": 3, "MOST_BYTES": len(chunk.data) + 1}
    monkeypatch.setattr(dry_runs, limit, room[limit])
    second = run(units("a", "b"), dry_run=True).run_id
    assert services.get_run(first) is None
    assert services.get_run(second) is not None


def test_a_report_beyond_the_limit_is_cut_with_a_note(run, monkeypatch):
    monkeypatch.setattr(dry_runs, "MOST_ENTRIES", 1000)
    package = units(*(f"u{number}" for number in range(1500)))
    report = run(package, dry_run=True)
    assert len(report.items) == 1500
    stored = services.get_report(report.run_id)
    assert len(stored.items) == 1000
    assert stored.counts["Inserted"] == 1500
    assert "Only the first 1,000 objects" in stored.diagnostics[-1].message


@pytest.mark.django_db(transaction=True)
class TestWhatMayBeImported:
    def test_the_same_bytes_may_be_imported_after_a_clean_dry_run(self, start, admin):
        run_id = start(units("a"), dry_run=True)
        finish_runs()
        found = services.clean_dry_run(admin, digest_of(units("a")))
        assert found.run_id == run_id
        assert services.clean_dry_run(admin, digest_of(units("b"))) is None
        assert services.clean_dry_run(admin, "") is None

    def test_dry_runs_with_errors_or_of_other_users_do_not_count(
        self, start, admin, clerk
    ):
        other = clerk("add_unitofmeasure")
        start(doubled(), dry_run=True)
        finish_runs()
        start(units("a"), dry_run=True, user=other)
        finish_runs()
        assert services.clean_dry_run(admin, digest_of(doubled())) is None
        assert services.clean_dry_run(admin, digest_of(units("a"))) is None
        assert services.clean_dry_run(other, digest_of(units("a"))) is not None

    def test_a_dry_run_in_progress_does_not_count(self, start, admin):
        seen = []
        finish = history.RunRecord.finish

        def look(self, *args):
            seen.append(services.clean_dry_run(admin, digest_of(units("a"))))
            finish(self, *args)

        with mock.patch.object(history.RunRecord, "finish", look):
            start(units("a"), dry_run=True)
            finish_runs()
        assert seen == [None]

    def test_the_last_dry_run_of_the_bytes_counts(self, start, admin, run):
        start(units("a"), dry_run=True)
        finish_runs()
        run(units("x").item("unit:taken", code="a", name="taken"))
        start(units("a"), dry_run=True)
        finish_runs()
        assert services.clean_dry_run(admin, digest_of(units("a"))) is None
