"""Rows whose objects the file no longer has: kept, reported or deleted."""

from __future__ import annotations

import pytest

from platform_site.changes.models import ChangeEvent
from platform_site.records.services import restore_record
from tests.builders import (
    a_package,
    code,
    delete_row,
    edit_row,
    make_row,
    model_of,
    outcomes,
    ref,
    row_of,
    units,
)

pytestmark = pytest.mark.django_db
ALL = {"onMissing": "delete", "maxDelete": "100%"}


def entry_of(report, identifier):
    return next(one for one in report.items if one.id == identifier)


def told(report):
    """Return the entries of a report; planned rows have no key yet."""
    return [{**one.wire(), "rowId": None, "changes": None} for one in report.items]


def live(catalog):
    found = model_of(catalog).objects.filter(is_deleted=False)
    return {row.code for row in found}


def both(run, package, **options):
    """Run a package dry, then in earnest; return the report of the run."""
    planned = run(package, dry_run=True, **options)
    done = run(package, **options)
    assert told(planned) == told(done)
    assert planned.counts == done.counts
    assert planned.diagnostics == done.diagnostics
    return done


def test_without_the_key_missing_rows_are_not_mentioned(run, business):
    run(units("a", "b"))
    before = business()
    for keys in ({}, {"onMissing": "keep"}):
        report = both(run, units("a", **keys))
        assert outcomes(report) == {"unit:a": "Unchanged"}
        assert len(report.counts) == 9
    assert business() == before


def test_report_lists_missing_rows_and_writes_nothing(run, business):
    run(units("a", "b", "c"))
    before = business()
    report = both(run, units("b", onMissing="report"))
    assert outcomes(report) == {
        "unit:b": "Unchanged",
        "unit:a": "Missing",
        "unit:c": "Missing",
    }
    assert (report.counts["Missing"], report.counts["Deleted"]) == (2, 0)
    assert not report.has_errors
    entry = entry_of(report, "unit:a")
    assert (entry.step, entry.index, entry.message) == (0, None, "")
    assert entry.row_id == row_of("UnitsOfMeasure", "a").pk
    assert business() == before


def test_delete_deletes_softly_and_records_it(run, business):
    run(units("a", "b"))
    row = row_of("UnitsOfMeasure", "a")
    report = both(run, units("b", **ALL))
    assert outcomes(report) == {"unit:b": "Unchanged", "unit:a": "Deleted"}
    assert not report.has_errors
    row.refresh_from_db()
    assert row.is_deleted
    assert not row.is_modified_after_import
    event = ChangeEvent.objects.latest("id")
    assert (event.action, event.origin, event.run_id) == (
        "deleted",
        "Import",
        report.run_id,
    )
    before = business()
    again = both(run, units("b", **ALL))
    assert outcomes(again) == {"unit:b": "Unchanged"}
    assert business() == before


@pytest.mark.parametrize("keys", [{}, {"onDeleted": "skip"}, {"onChange": "skip"}])
def test_what_comes_back_is_restored_with_the_values_of_the_package(run, keys):
    run(units("a", "b"))
    run(units("b", **ALL))
    package = units("a", "b", **keys)
    package.steps[0]["items"][0]["name"] = "New"
    report = both(run, package)
    assert outcomes(report)["unit:a"] == "Restored"
    assert row_of("UnitsOfMeasure", "a").name == "New"
    assert set(outcomes(both(run, package)).values()) == {"Unchanged"}


def test_what_a_user_deleted_again_stays_deleted(run, admin):
    run(units("a", "b"))
    run(units("b", **ALL))
    row = model_of("UnitsOfMeasure").objects.get(code="a")
    restored = restore_record(row=row, actor=admin)
    assert outcomes(both(run, units("b", **ALL)))["unit:a"] == "Missing"
    delete_row(restored, actor=admin)
    assert outcomes(both(run, units("a", "b")))["unit:a"] == "SkippedDeleted"


def test_rows_that_a_user_changed_are_kept(run, admin):
    run(units("a", "b"))
    edit_row(row_of("UnitsOfMeasure", "a"), actor=admin, name="Mine")
    report = both(run, units("b", **ALL))
    entry = entry_of(report, "unit:a")
    assert entry.outcome == "Missing"
    assert "a user changed the row" in entry.message
    assert live("UnitsOfMeasure") == {"a", "b"}


def test_rows_of_others_are_never_touched(run, admin):
    run(units("a", package="other"))
    make_row("UnitsOfMeasure", actor=admin, code="mine", name="Mine")
    run(units("b", "c"))
    report = both(run, units("b", **ALL))
    assert outcomes(report) == {"unit:b": "Unchanged", "unit:c": "Deleted"}
    assert live("UnitsOfMeasure") == {"a", "b", "mine"}


def names(count):
    return [f"u{number:03}" for number in range(count)]


@pytest.mark.parametrize(
    ("limit", "missing", "deleted"),
    [
        (None, 5, True),
        (None, 6, False),
        ("10%", 10, True),
        ("10%", 11, False),
        (3, 3, True),
        (3, 4, False),
        (0, 1, False),
        ("0%", 1, False),
    ],
)
def test_never_more_than_the_limit(run, limit, missing, deleted):
    run(units(*names(100)))
    keys = {"onMissing": "delete"} | ({} if limit is None else {"maxDelete": limit})
    report = both(run, units(*names(100)[missing:], **keys))
    assert report.counts["Deleted"] == (missing if deleted else 0)
    assert report.counts["Missing"] == (0 if deleted else missing)
    assert report.has_errors is not deleted
    if not deleted:
        (problem,) = report.problems
        assert problem.code == "too-many-missing"
        assert problem.first.path == "steps[0].onMissing"
        assert f"{missing} of 100 rows of UnitsOfMeasure" in problem.message
        assert "maxDelete" in problem.remedy
        assert len(live("UnitsOfMeasure")) == 100


def two_levels(unit, *folders, **keys):
    package = a_package().with_step("UnitsOfMeasure", **keys)
    for each in unit:
        package.unit(f"unit:{each}", each)
    package.with_step("Items", **keys)
    for each in folders:
        parent = {"parentId": ref(f"f:{each[:-1]}")} if each[:-1] else {}
        package.folder(f"f:{each}", each, **parent)
    return package


def test_children_are_deleted_before_their_parents(run):
    run(two_levels("k", "a", "ab", "abc", "abd", "x").goods("i", "i", code("k")))
    package = two_levels("", "x", **ALL)
    report = both(run, package)
    assert [(one.id, one.outcome.value) for one in report.items] == [
        ("f:x", "Unchanged"),
        ("f:abc", "Deleted"),
        ("f:abd", "Deleted"),
        ("i", "Deleted"),
        ("f:ab", "Deleted"),
        ("unit:k", "Deleted"),
        ("f:a", "Deleted"),
    ]
    assert live("Items") == {"x"}
    assert live("UnitsOfMeasure") == set()


def test_rows_in_use_are_kept_with_all_that_they_refer_to(run, admin):
    run(two_levels("k", "a", "ab", "abc"))
    folder = row_of("Items", "abc")
    make_row(
        "Items", actor=admin, code="own", name="Own", isFolder=True, parentId=folder.pk
    )
    report = both(run, two_levels("", **ALL))
    assert outcomes(report) == {
        "f:a": "Missing",
        "f:ab": "Missing",
        "f:abc": "Missing",
        "unit:k": "Deleted",
    }
    assert not report.has_errors
    assert entry_of(report, "f:abc").message == "kept: in use by items"


def moved(parent, **keys):
    package = a_package().with_step("Items", **keys)
    for each in "abc" if parent == "a" else "bc":
        package.folder(f"f:{each}", each)
    return package.folder("f:child", "child", parentId=code(parent))


def test_a_reference_that_the_run_changes_counts_as_changed(run):
    run(moved("a"))
    report = both(run, moved("b", **ALL))
    assert outcomes(report)["f:a"] == "Deleted"
    assert outcomes(report)["f:child"] == "Updated"


def test_a_row_that_an_object_refers_to_from_now_on_is_kept(run):
    run(moved("a"))
    package = a_package().with_step("Items", **ALL)
    package.folder("f:a", "a").folder("f:b", "b").folder("f:new", "new")
    package.steps[0]["items"][2]["parentId"] = code("c")
    package.folder("f:child", "child", parentId=code("a"))
    report = both(run, package)
    assert outcomes(report)["f:new"] == "Inserted"
    assert outcomes(report)["f:c"] == "Missing"
    assert entry_of(report, "f:c").message == "kept: in use by items"


def test_nothing_is_deleted_after_an_error(run):
    run(units("a", "b"))
    package = units("b", "new", **ALL)
    package.steps[0]["items"][1]["name"] = ""
    report = both(run, package, continue_on_error=True)
    assert outcomes(report) == {
        "unit:b": "Unchanged",
        "unit:new": "Failed",
        "unit:a": "Missing",
    }
    assert "with errors" in entry_of(report, "unit:a").message
    stopped = run(package)
    assert stopped.counts["Missing"] == 0
    assert live("UnitsOfMeasure") == {"a", "b"}


def test_the_user_needs_the_right_to_delete(run, clerk):
    run(units("a", "b"))
    user = clerk("add_unitofmeasure", "change_unitofmeasure")
    report = both(run, units("b", **ALL), user=user)
    assert outcomes(report)["unit:a"] == "Missing"
    (problem,) = report.problems
    assert problem.code == "not-allowed"
    assert "may not delete" in problem.message
    assert "right" in problem.remedy
    assert live("UnitsOfMeasure") == {"a", "b"}


def test_rows_under_earlier_names_belong_to_the_package(run):
    run(units("a", "b", "c", package="old"))
    package = units("b", "z", **ALL)
    package.header["renamedFrom"] = ["old"]
    package.steps[0]["items"][1] |= {"$was": "unit:c", "code": "c", "name": "c"}
    report = both(run, package)
    assert outcomes(report)["unit:a"] == "Deleted"
    assert outcomes(report)["unit:z"] == "Unchanged"
    assert live("UnitsOfMeasure") == {"b", "c"}
    package.unit("unit:a", "a")
    assert outcomes(both(run, package))["unit:a"] == "Restored"
