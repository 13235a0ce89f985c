"""An import writes with the rights and in the name of the user who started it."""

from __future__ import annotations

import pytest

from platform_site.accounts.services import delete_user
from platform_site.changes.models import ChangeEvent
from tests.builders import (
    a_package,
    code,
    delete_row,
    make_row,
    messages,
    model_of,
    outcomes,
    row_of,
    units,
)

pytestmark = pytest.mark.django_db


def test_without_the_right_the_run_stops_at_the_first_object(run, clerk, business):
    user, before = clerk(), business()
    report = run(units("pcs", "kg"), user=user)
    assert (report.status, report.has_errors) == ("Failed", True)
    assert outcomes(report) == {"unit:pcs": "Failed"}
    assert business() == before


def test_without_the_right_every_object_fails_and_none_is_skipped(run, clerk):
    report = run(units("pcs", "kg"), user=clerk(), continue_on_error=True)
    assert report.status == "Completed"
    assert set(outcomes(report).values()) == {"Failed"}
    for message in messages(report).values():
        assert "clerk may not add units of measure" in message
    errors = [d for d in report.diagnostics if d.severity == "Error"]
    assert errors[0].path == "steps[0].items[0]"


def test_rights_are_per_catalog(run, clerk):
    package = units("pcs").with_step("Warehouses").item("w", code="w", name="W")
    user = clerk("add_warehouse")
    report = run(package, user=user, continue_on_error=True)
    assert outcomes(report) == {"unit:pcs": "Failed", "w": "Inserted"}


def test_a_dry_run_checks_rights(run, clerk):
    package = units("pcs").with_step("Warehouses").item("w", code="w", name="W")
    report = run(package, user=clerk("add_warehouse"), dry_run=True)
    assert outcomes(report) == {"unit:pcs": "Failed", "w": "Inserted"}


def test_the_right_to_add_is_not_the_right_to_change(run, clerk):
    user = clerk("add_unitofmeasure")
    assert outcomes(run(units("pcs"), user=user)) == {"unit:pcs": "Inserted"}
    assert outcomes(run(units("pcs"), user=user)) == {"unit:pcs": "Unchanged"}
    changed = units("pcs")
    changed.steps[0]["items"][0]["name"] = "Pieces"
    report = run(changed, user=user)
    assert outcomes(report) == {"unit:pcs": "Failed"}
    assert "may not change" in messages(report)["unit:pcs"]
    assert row_of("UnitsOfMeasure", "pcs").name == "pcs"


def test_adopting_and_restoring_need_the_right_to_change(run, admin, clerk):
    user = clerk("add_unitofmeasure")
    make_row("UnitsOfMeasure", actor=admin, code="pcs", name="By hand")
    for keys in ({}, {"onChange": "skip"}):
        report = run(units("pcs", match=["code"], **keys), user=user)
        assert outcomes(report) == {"unit:pcs": "Failed"}
    run(units("kg"))
    delete_row(row_of("UnitsOfMeasure", "kg"), actor=admin)
    report = run(units("kg", onDeleted="restore"), user=user)
    assert outcomes(report) == {"unit:kg": "Failed"}


def test_referring_to_a_row_needs_no_right_to_it(run, admin, clerk):
    make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Pieces")
    package = a_package().with_step("Items").goods("i", "1", code("pcs"))
    assert outcomes(run(package, user=clerk("add_item"))) == {"i": "Inserted"}


def test_a_locked_user_writes_nothing(run, clerk):
    user = clerk("add_unitofmeasure")
    user.is_active = False
    user.save(update_fields=["is_active"])
    assert outcomes(run(units("pcs"), user=user)) == {"unit:pcs": "Failed"}


def test_change_events_have_user_origin_and_run(run, clerk):
    """IMP-281, IMP-312."""
    user = clerk("add_unitofmeasure")
    report = run(units("pcs"), user=user)
    event = ChangeEvent.objects.get(model="UnitsOfMeasure")
    assert (event.user, event.user_name) == (user, "clerk")
    assert (event.origin, event.run_id) == ("Import", report.run_id)
    assert (event.action, event.row_id) == (
        "created",
        row_of("UnitsOfMeasure", "pcs").pk,
    )


def test_a_right_removed_during_the_run_counts_from_the_next_window(run, clerk):
    user = clerk("add_unitofmeasure")

    def take_away(stage, done, total):
        if stage == "importing" and done == 2:
            user.user_permissions.clear()

    report = run(
        units("a", "b", "c", "d"),
        user=user,
        continue_on_error=True,
        progress=take_away,
        window=2,
    )
    assert list(outcomes(report).values()) == [
        "Inserted",
        "Inserted",
        "Failed",
        "Failed",
    ]
    assert model_of("UnitsOfMeasure").objects.count() == 2


class Meanwhile:
    """A cancellation that acts between two objects and never cancels."""

    def __init__(self, after, do):
        self.left, self.do = after, do

    def is_set(self):
        self.left -= 1
        if self.left == 0:
            self.do()
        return False


@pytest.mark.django_db(transaction=True)
def test_a_user_deleted_between_two_objects_is_named_by_each_that_follows(run, clerk):
    """IMP-025, IMP-029: the message is true, and there is one cause."""
    user = clerk("add_unitofmeasure")
    report = run(
        units("a", "b", "c", "d", "e", "f"),
        user=user,
        continue_on_error=True,
        window=4,
        cancellation=Meanwhile(
            after=6, do=lambda: delete_user(user=type(user).objects.get(pk=user.pk))
        ),
    )
    assert report.status == "Completed"
    failed = {i.id: i.message for i in report.items if i.outcome == "Failed"}
    assert {"unit:e", "unit:f"} <= failed.keys()
    assert not any("None" in said for said in failed.values())
    assert [said for said in failed.values() if "clerk” was deleted" not in said] == []


@pytest.mark.django_db(transaction=True)
def test_a_user_deactivated_during_the_run_is_named_in_dry_run_and_run(run, clerk):
    user = clerk("add_unitofmeasure")
    user.is_active = False
    user.save(update_fields=["is_active"])
    for options in ({"dry_run": True}, {"continue_on_error": True}):
        report = run(units("a", "b"), user=user, **options)
        assert {i.outcome for i in report.items} == {"Failed"}
        assert all("the user “clerk” is deactivated" in i.message for i in report.items)
        assert [p.remedy for p in report.problems] == [
            "Run the package again as an active user."
        ]
