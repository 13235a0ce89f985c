"""Objects whose rows a user deleted or an administrator erased."""

from __future__ import annotations

import pytest

from platform_site.changes.models import ChangeEvent
from tests.builders import (
    delete_row,
    edit_row,
    erase_row,
    make_row,
    messages,
    model_of,
    outcomes,
    row_of,
    units,
)

pytestmark = pytest.mark.django_db


def test_rows_deleted_by_a_user_stay_deleted(run, admin):
    """IMP-074."""
    run(units("pcs"))
    delete_row(row_of("UnitsOfMeasure", "pcs"), actor=admin)
    changed = units("pcs")
    changed.steps[0]["items"][0]["name"] = "Pieces"
    for package in (units("pcs"), changed):
        report = run(package)
        assert outcomes(report) == {"unit:pcs": "SkippedDeleted"}
        assert not report.has_errors
    row = model_of("UnitsOfMeasure").objects.get()
    assert row.is_deleted
    assert row.import_key == "unit:pcs"


@pytest.mark.parametrize("name", ["pcs", "Pieces"])
def test_restore_brings_a_deleted_row_back_with_the_objects_values(run, admin, name):
    """IMP-073, OPEN-14."""
    run(units("pcs"))
    row = row_of("UnitsOfMeasure", "pcs")
    edit_row(row, actor=admin, name="Mine")
    delete_row(row, actor=admin)
    package = units("pcs", onDeleted="restore")
    package.steps[0]["items"][0]["name"] = name
    assert outcomes(run(package)) == {"unit:pcs": "Restored"}
    row.refresh_from_db()
    assert (row.is_deleted, row.name) == (False, name)
    assert not row.is_modified_after_import
    event = ChangeEvent.objects.latest("id")
    assert (event.action, event.origin) == ("restored", "Import")
    assert outcomes(run(package)) == {"unit:pcs": "Unchanged"}


def test_restore_with_skip_keeps_the_rows_values_and_its_hash(run, admin):
    """OPEN-14."""
    run(units("pcs"))
    row = row_of("UnitsOfMeasure", "pcs")
    edit_row(row, actor=admin, name="Mine")
    delete_row(row, actor=admin)
    package = units("pcs", onDeleted="restore", onChange="skip")
    package.steps[0]["items"][0]["name"] = "Theirs"
    stored = row.import_source_hash
    assert outcomes(run(package)) == {"unit:pcs": "Restored"}
    row.refresh_from_db()
    assert (row.is_deleted, row.name) == (False, "Mine")
    assert row.import_source_hash == stored
    assert not row.is_modified_after_import
    assert outcomes(run(package)) == {"unit:pcs": "SkippedDrift"}


def test_a_row_whose_code_is_taken_now_is_not_restored(run, admin):
    run(units("pcs"))
    row = row_of("UnitsOfMeasure", "pcs")
    delete_row(row, actor=admin)
    taker = make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Taker")
    for keys in ({}, {"onChange": "skip"}):
        report = run(units("pcs", onDeleted="restore", **keys))
        assert outcomes(report) == {"unit:pcs": "Failed"}
        assert messages(report)["unit:pcs"].startswith("steps[0].items[0].code: ")
        row.refresh_from_db()
        assert row.is_deleted
        assert row_of("UnitsOfMeasure", "pcs").pk == taker.pk


def test_an_erased_row_is_new_again(run):
    """IMP-120."""
    run(units("pcs"))
    erase_row(row_of("UnitsOfMeasure", "pcs"))
    assert outcomes(run(units("pcs"))) == {"unit:pcs": "Inserted"}
