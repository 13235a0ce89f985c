"""What the undo of a run does to the rows of catalogs, and what it leaves alone."""

from __future__ import annotations

import pytest

from importer.models import AppliedPackage
from platform_site.changes.models import ChangeEvent
from tests.builders import (
    a_package,
    code,
    delete_row,
    edit_row,
    erase_row,
    make_row,
    model_of,
    outcomes,
    ref,
    row_of,
    units,
)

pytestmark = pytest.mark.django_db


def mark_of(row):
    row.refresh_from_db()
    return row.import_source, row.import_key, row.import_source_hash


def renamed(package, **names):
    """Give units of a package other names, by code."""
    for item in package.steps[0]["items"]:
        item["name"] = names.get(item["code"], item["name"])
    return package


def test_what_a_run_inserted_is_deleted_and_comes_in_again_as_the_first_time(run, undo):
    first = run(units("pcs", "kg"))
    assert outcomes(undo(first)) == {"unit:pcs": "Reverted", "unit:kg": "Reverted"}
    rows = model_of("UnitsOfMeasure").objects
    assert not rows.live().exists()
    assert set(rows.values_list("is_deleted", "import_source", "import_key")) == {
        (True, None, None)
    }
    assert set(outcomes(run(units("pcs", "kg"))).values()) == {"Inserted"}


def test_a_dry_run_says_the_same_and_writes_nothing(run, undo, everything):
    first = run(units("pcs"))
    before = everything()
    planned = undo(first, dry_run=True)
    assert planned.dry_run
    assert everything() == before
    assert list(planned.items) == list(undo(first).items)


def test_updated_rows_get_their_values_and_marks_back(run, undo):
    run(units("pcs", "kg"))
    row = row_of("UnitsOfMeasure", "pcs")
    mark = mark_of(row)
    report = undo(run(renamed(units("pcs", "kg"), pcs="Pieces")))
    assert outcomes(report) == {"unit:pcs": "Reverted"}
    assert report.items[0].changes == {"name": ["Pieces", "pcs"]}
    assert (report.items[0].name, report.items[0].line) == ("pcs Pieces", None)
    assert mark_of(row) == mark
    assert row.name == "pcs"
    assert not row.is_modified_after_import
    assert set(outcomes(run(units("pcs", "kg"))).values()) == {"Unchanged"}


def test_what_a_user_had_edited_before_the_run_counts_as_edited_again(run, undo, admin):
    run(units("pcs"))
    row = edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    package = renamed(units("pcs", onUserModified="overwrite"), pcs="Theirs")
    undo(run(package))
    row.refresh_from_db()
    assert (row.name, row.is_modified_after_import) == ("Mine", True)
    again = run(renamed(units("pcs"), pcs="Theirs"))
    assert outcomes(again) == {"unit:pcs": "SkippedUserModified"}


def test_adopted_rows_lose_the_mark_and_keep_what_was_theirs(run, undo, admin):
    row = make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Mine")
    report = undo(run(units("pcs", match=["code"])))
    assert outcomes(report) == {"unit:pcs": "Reverted"}
    assert mark_of(row) == (None, None, None)
    assert (row.name, row.is_deleted) == ("Mine", False)


def test_rows_taken_over_get_the_mark_of_their_package_back(run, undo):
    run(units("pcs", package="corpus.b"))
    row = row_of("UnitsOfMeasure", "pcs")
    mark = mark_of(row)
    undo(run(units("pcs", match=["code"], takeOver=["corpus.b"])))
    assert mark_of(row) == mark


def test_restored_rows_are_deleted_again(run, undo, admin):
    run(units("pcs"))
    row = row_of("UnitsOfMeasure", "pcs")
    delete_row(row, actor=admin)
    mark = mark_of(row)
    package = renamed(units("pcs", onDeleted="restore"), pcs="Pieces")
    assert outcomes(undo(run(package))) == {"unit:pcs": "Reverted"}
    assert mark_of(row) == mark
    assert (row.is_deleted, row.name) == (True, "pcs")
    assert outcomes(run(units("pcs"))) == {"unit:pcs": "SkippedDeleted"}


def test_marks_that_a_run_only_renamed_get_their_names_back(run, undo):
    run(units("pcs"))
    row = row_of("UnitsOfMeasure", "pcs")
    package = units("pcs", package="corpus.new")
    package.header["renamedFrom"] = ["corpus.a"]
    events = ChangeEvent.objects.count()
    report = undo(run(package))
    assert outcomes(report) == {"unit:pcs": "Reverted"}
    assert report.items[0].message == "only its link to the package is reverted"
    assert mark_of(row)[0] == "corpus.a"
    assert ChangeEvent.objects.count() == events
    assert outcomes(run(units("pcs"))) == {"unit:pcs": "Unchanged"}


def test_the_hash_of_an_object_that_only_looked_changed_comes_back(run, undo, admin):
    """The row had the package's values already, so only its mark was written."""
    run(units("pcs"))
    row = edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Pieces")
    mark = mark_of(row)
    package = renamed(units("pcs", onUserModified="overwrite"), pcs="Pieces")
    done = run(package)
    assert mark_of(row) != mark
    assert outcomes(undo(done)) == {"unit:pcs": "Reverted"}
    assert mark_of(row) == mark
    assert row.is_modified_after_import


def test_what_somebody_changed_since_is_kept_and_told(run, undo, admin):
    done = run(units("pcs", "kg", "m"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    delete_row(row_of("UnitsOfMeasure", "kg"), actor=admin)
    erase_row(row_of("UnitsOfMeasure", "m"))
    report = undo(done)
    told = {str(one.row_id): (str(one.outcome), one.message) for one in report.items}
    (gone, erased), (deleted, by), (kept, who) = told.values()
    assert (gone, deleted, kept) == ("Gone", "Gone", "Kept")
    assert erased == "the row was deleted for good"
    assert by.startswith("admin deleted the row at ")
    assert who.startswith("kept: admin changed the row at ")
    assert row_of("UnitsOfMeasure", "pcs").name == "Mine"
    assert not report.has_errors


def test_rows_in_use_are_blocked_with_the_sentence_of_the_services(run, undo, admin):
    package = a_package().with_step("UnitsOfMeasure").unit("pcs", "PCS")
    done = run(package)
    make_row(
        "Items",
        actor=admin,
        isFolder=False,
        code="TEA",
        name="Tea",
        category="goods",
        unitOfMeasureId=row_of("UnitsOfMeasure", "PCS").pk,
    )
    report = undo(done)
    assert outcomes(report) == {"pcs": "Blocked"}
    assert "PCS is in use: item TEA" in report.items[0].message
    assert report.has_errors
    assert report.status == "Completed"


def test_a_user_without_the_right_is_told_so(run, undo, clerk):
    done = run(units("pcs"))
    report = undo(done, user=clerk("view_unitofmeasure"))
    assert outcomes(report) == {"unit:pcs": "Blocked"}
    assert "clerk may not delete" in report.items[0].message


def test_rows_go_in_reverse_order_so_that_folders_are_empty(run, undo):
    package = (
        a_package()
        .with_step("UnitsOfMeasure")
        .unit("pcs", "PCS")
        .with_step("Items")
        .folder("f", "F")
        .folder("g", "G", parentId=ref("f"))
        .goods("tea", "TEA", code("PCS"), parentId=ref("g"))
    )
    report = undo(run(package), window=2)
    assert [one.id for one in report.items] == ["tea", "g", "f", "pcs"]
    assert set(outcomes(report).values()) == {"Reverted"}


def test_an_older_run_keeps_what_a_later_one_wrote(run, undo):
    first = run(units("pcs", "kg"))
    second = run(renamed(units("pcs"), pcs="Pieces"))
    report = undo(first)
    assert outcomes(report) == {"unit:kg": "Reverted", "unit:pcs": "Kept"}
    assert "a later run wrote the row" in report.items[1].message
    assert undo(second).counts["Reverted"] == 1


def test_runs_are_undone_one_after_the_other(run, undo):
    first = run(units("pcs"))
    second = run(renamed(units("pcs"), pcs="Pieces"))
    undo(second)
    assert outcomes(undo(first)) == {"unit:pcs": "Reverted"}
    assert not model_of("UnitsOfMeasure").objects.live().exists()


def test_an_undone_version_counts_as_not_applied(run, undo):
    def applied():
        return list(AppliedPackage.objects.values_list("version", flat=True))

    def version(number):
        package = renamed(units("pcs"), pcs=f"Name {number}")
        package.header["version"] = number
        return run(package)

    first, second = version(1), version(2)
    undo(second)
    assert applied() == [1]
    undo(first)
    assert applied() == []


def test_a_repeated_undo_finishes_what_was_blocked(run, undo, admin):
    done = run(units("pcs", "kg"))
    item = make_row(
        "Items",
        actor=admin,
        isFolder=False,
        code="TEA",
        name="Tea",
        category="goods",
        unitOfMeasureId=row_of("UnitsOfMeasure", "pcs").pk,
    )
    assert outcomes(undo(done)) == {"unit:kg": "Reverted", "unit:pcs": "Blocked"}
    delete_row(item, actor=admin)
    report = undo(done)
    assert outcomes(report) == {"unit:kg": "Reverted", "unit:pcs": "Reverted"}
    assert "already" in report.items[0].message
    assert report.items[1].message == "deleted, because the run created it"


def test_rows_of_a_later_run_are_reverted_once_that_run_is_undone(run, undo):
    first = run(units("pcs"))
    over = units("pcs", package="other", match=["code"], takeOver=["corpus.a"])
    second = run(over)
    assert outcomes(undo(first)) == {"unit:pcs": "Kept"}
    assert outcomes(undo(second)) == {"unit:pcs": "Reverted"}
    assert outcomes(undo(first)) == {"unit:pcs": "Reverted"}
    assert not model_of("UnitsOfMeasure").objects.live().exists()
