"""An undo that was stopped or whose process died is started again and finishes the
rest."""

from __future__ import annotations

import threading
from contextvars import Context

import pytest

from importer import services
from importer.models import ImportRun
from importer.services import NotUndoable
from platform_site.records import undo as undo_of_records
from platform_site.records.importing import RecordTarget
from tests.builders import edit_row, model_of, outcomes, row_of, units

pytestmark = pytest.mark.django_db
CODES = ("a", "b", "c")


class PowerFailure(BaseException):
    """The end of the process, which no run survives."""


@pytest.fixture
def dies_at(monkeypatch):
    """Return a function that lets the process die at the n-th write from now."""

    def at(number):
        left, commit = [number], RecordTarget.commit

        def write(self, prepared, mark):
            left[0] -= 1
            if not left[0]:
                raise PowerFailure
            return commit(self, prepared, mark)

        monkeypatch.setattr(RecordTarget, "commit", write)

    return at


def killed(undo, done, dies_at, monkeypatch, number):
    """Let the process of an undo die at a write."""
    with monkeypatch.context() as patch:
        dies_at(number)
        # What a dead process can't do either.
        patch.setattr("importer.runs.watched_run.WatchedRun._finish", lambda *_: None)
        with pytest.raises(PowerFailure):
            undo(done)
    monkeypatch.undo()


def test_the_rest_is_reverted_and_what_is_reverted_already_is_recognised(
    run, undo, admin, dies_at, monkeypatch
):
    done = run(units(*CODES))
    killed(undo, done, dies_at, monkeypatch, 2)
    assert [row.code for row in model_of("UnitsOfMeasure").objects.live()] == ["a", "b"]
    edit_row(row_of("UnitsOfMeasure", "a"), actor=admin, name="Mine")
    report = undo(done)
    died = ImportRun.objects.real().filter(based_on=done.run_id).last()
    assert died.status == "Interrupted"
    assert died.diagnostics[0]["message"].endswith("start it again.")
    assert outcomes(report) == {
        "unit:c": "Reverted",
        "unit:b": "Reverted",
        "unit:a": "Kept",
    }
    assert "already" in report.items[0].message


def test_a_cancelled_undo_can_be_continued(run, undo):
    done = run(units(*CODES))
    stop = threading.Event()
    stop.set()
    report = undo(done, cancellation=stop)
    assert (report.status, len(report.items)) == ("Interrupted", 0)
    assert outcomes(undo(done)).keys() == {"unit:a", "unit:b", "unit:c"}


def test_a_cancelled_dry_run_writes_nothing(run, undo, everything):
    done = run(units(*CODES))
    before, stop = everything(), threading.Event()
    stop.set()
    assert undo(done, cancellation=stop, dry_run=True).status == "Interrupted"
    assert everything() == before


def test_a_row_changed_at_the_same_moment_is_read_again(run, undo, admin, monkeypatch):
    done = run(units("a"))
    row, revert = row_of("UnitsOfMeasure", "a"), undo_of_records.revert_row

    def too_late(*args):
        monkeypatch.setattr(undo_of_records, "revert_row", revert)
        # Another request, so not in the context of the undo.
        Context().run(edit_row, row, actor=admin, name="Mine")
        revert(*args)

    monkeypatch.setattr(undo_of_records, "revert_row", too_late)
    assert outcomes(undo(done)) == {"unit:a": "Kept"}
    assert row_of("UnitsOfMeasure", "a").name == "Mine"


def refused(run_id, admin):
    with pytest.raises(NotUndoable) as refusal:
        services.undo_run(run_id, user=admin)
    return str(refusal.value)


def test_what_cannot_be_undone_is_refused_with_a_sentence(run, undo, admin):
    done = run(units("a"))
    assert "is a dry run" in refused(run(units("b"), dry_run=True).run_id, admin)
    assert "nothing to undo" in refused(run(units("a")).run_id, admin)
    undone = undo(done)
    assert "already, by the run" in refused(done.run_id, admin)
    assert "is an undo itself" in refused(undone.run_id, admin)
    with pytest.raises(services.UnknownRun):
        services.undo_run(ImportRun().run_id, user=admin)


def test_a_run_that_wrote_something_before_it_failed_can_be_undone(run, undo):
    package = units("a").item("unit:b", code="b", name="b")
    package.item("unit:c", code="a", name="taken")
    done = run(package, continue_on_error=True)
    assert done.has_errors
    assert set(outcomes(undo(done)).values()) == {"Reverted"}


def test_a_dry_run_stops_when_somebody_cancels_it(
    run, undo, admin, stored_at_once, monkeypatch
):
    done = run(units(*CODES))
    revert = undo_of_records.revert_row

    def cancelled_meanwhile(*args):
        services.cancel_run(ImportRun.objects.get(kind="undo").pk)
        revert(*args)

    monkeypatch.setattr(undo_of_records, "revert_row", cancelled_meanwhile)
    report = undo(done, dry_run=True)
    assert (report.status, outcomes(report)) == ("Interrupted", {"unit:c": "Reverted"})
