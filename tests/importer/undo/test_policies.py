"""Undo together with other policies: rows that a run deleted, and merges after an undo."""

from __future__ import annotations

import pytest

from tests.builders import edit_row, outcomes, row_of, units
from tests.importer.undo.test_undo import mark_of

pytestmark = pytest.mark.django_db
DELETE = {"onMissing": "delete", "maxDelete": 10}


def test_rows_that_a_run_deleted_are_restored_with_their_marks(run, undo):
    run(units("pcs", "kg", **DELETE))
    row = row_of("UnitsOfMeasure", "kg")
    mark = mark_of(row)
    done = run(units("pcs", **DELETE))
    assert outcomes(done)["unit:kg"] == "Deleted"
    assert outcomes(undo(done)) == {"unit:kg": "Reverted"}
    assert mark_of(row) == mark
    assert not row.is_deleted
    assert not row.is_modified_after_import
    assert set(outcomes(run(units("pcs", "kg", **DELETE))).values()) == {"Unchanged"}


def test_rows_that_came_back_are_deleted_again(run, undo):
    run(units("pcs", "kg", **DELETE))
    run(units("pcs", **DELETE))
    done = run(units("pcs", "kg", **DELETE))
    assert outcomes(done)["unit:kg"] == "Restored"
    undo(done)
    assert outcomes(run(units("pcs", "kg", **DELETE)))["unit:kg"] == "Restored"


def test_an_undone_run_is_none_that_the_next_merge_builds_on(run, undo, admin):
    """The user's edit is from before the undone run."""

    def named(name, policy):
        package = units("pcs", onUserModified=policy)
        package.steps[0]["items"][0]["name"] = name
        return package

    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    undo(run(named("Wrong", "overwrite")))
    report = run(named("Theirs", "merge"))
    assert row_of("UnitsOfMeasure", "pcs").name == "Mine"
    assert report.items[0].conflicts == {"name": ["pcs", "Mine", "Theirs"]}


def test_a_merge_after_an_undo_takes_what_only_the_package_changed(run, undo, admin):
    package = units("pcs", onUserModified="merge")
    run(package)
    package.steps[0]["items"][0]["name"] = "Wrong"
    undo(run(package))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, code="piece")
    package.steps[0]["items"][0]["name"] = "Right"
    run(package)
    assert row_of("UnitsOfMeasure", "piece").name == "Right"
