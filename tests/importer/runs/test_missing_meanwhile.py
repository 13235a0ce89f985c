"""Deletions of missing rows while users work, and in runs that are stopped or die."""

from __future__ import annotations

import threading

import pytest

from platform_site.changes import context
from platform_site.changes.context import ChangeOrigin
from platform_site.context_values import assigned
from platform_site.records.importing import RecordTarget
from tests.builders import (
    a_package,
    edit_row,
    make_row,
    model_of,
    outcomes,
    row_of,
    units as units_of,
)
from tests.importer.admin_page.conftest import Visitor
from tests.importer.runs.test_interrupted import die, marked

pytestmark = pytest.mark.django_db
ALL = {"onMissing": "delete", "maxDelete": "100%"}


@pytest.fixture
def visitor(admin):
    return Visitor(admin)


def units(*codes):
    return units_of(*codes, **ALL)


@pytest.fixture
def meanwhile(monkeypatch):
    """Return a function that has something happen before the first deletion."""
    removal = RecordTarget.prepare_removal

    def happen(what):
        def first(self, order):
            monkeypatch.undo()
            # Outside of the run, to which everything inside its context belongs.
            nobody = context.Acting(None, ChangeOrigin.USER)
            with assigned(context._acting, lambda: nobody):
                what()
            return removal(self, order)

        monkeypatch.setattr(RecordTarget, "prepare_removal", first)

    return happen


def message_of(report, identifier):
    return next(one.message for one in report.items if one.id == identifier)


def test_a_row_that_somebody_changes_now_is_kept(run, admin, meanwhile):
    run(units("a", "b", "c"))
    meanwhile(lambda: edit_row(row_of("UnitsOfMeasure", "a"), actor=admin, name="Mine"))
    report = run(units("c"))
    assert outcomes(report) == {
        "unit:c": "Unchanged",
        "unit:a": "Missing",
        "unit:b": "Deleted",
    }
    assert "somebody changed the row" in message_of(report, "unit:a")
    assert row_of("UnitsOfMeasure", "a").name == "Mine"


def test_a_row_that_somebody_refers_to_now_is_kept(run, admin, meanwhile):
    run(a_package().with_step("Items", **ALL).folder("f:a", "a").folder("f:b", "b"))
    folder = row_of("Items", "a").pk
    own = {"code": "own", "name": "Own", "isFolder": True, "parentId": folder}
    meanwhile(lambda: make_row("Items", actor=admin, **own))
    report = run(a_package().with_step("Items", **ALL))
    assert outcomes(report) == {"f:a": "Missing", "f:b": "Deleted"}
    assert "is in use" in message_of(report, "f:a")
    assert not report.has_errors


def test_a_user_who_loses_the_right_now_deletes_nothing_more(run, clerk):
    run(units("a", "b", "c"))
    user = clerk("delete_unitofmeasure", "change_unitofmeasure")
    report = run(units("c"), user=user)
    assert report.counts["Deleted"] == 2
    run(units("a", "b", "c"))
    user.is_active = False
    user.save()
    report = run(units("c"), user=user)
    assert (report.counts["Deleted"], report.counts["Missing"]) == (0, 2)
    assert report.has_errors


def test_a_cancelled_run_deletes_nothing_from_then_on(run, meanwhile):
    run(units("a", "b", "c"))
    stop = threading.Event()
    meanwhile(stop.set)
    report = run(units("c"), cancellation=stop)
    assert report.status == "Interrupted"
    assert outcomes(report) == {"unit:c": "Unchanged", "unit:a": "Deleted"}
    assert not row_of("UnitsOfMeasure", "b").is_deleted


def test_what_a_dead_run_deleted_is_reported(run):
    run(units("a", "b"))
    done = run(units("b"))
    die(done, stored=1)
    stopped, told = marked(done)
    assert [(o.id, str(o.outcome)) for o in told.items] == [
        ("unit:b", "Unchanged"),
        ("unit:a", "Deleted"),
    ]
    assert stopped.counts["Deleted"] == 1


def test_the_page_shows_what_was_deleted(run, visitor):
    run(units("a", "b"))
    done = run(units("b"))
    shown = visitor.text(run=done.run_id, outcome="Deleted")
    assert "unit:a" in shown
    assert "steps[0]" in shown
    assert "Deleted <b>1</b>" in shown
    assert "unit:b" not in shown
    planned = run(units_of(package="corpus.a", **ALL), dry_run=True)
    assert "Deleted <b>1</b>" in visitor.text(run=planned.run_id)
    assert model_of("UnitsOfMeasure").objects.filter(is_deleted=False).count() == 1
