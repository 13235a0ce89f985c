"""Runs over rows that users changed or that equal their objects: reports and minimal
writes."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from importer.pipeline.report import unpack
from platform_site.changes.models import ChangeEvent
from platform_site.records import services
from platform_site.records.importing import RecordTarget
from tests.builders import code, edit_row, outcomes, row_of, units

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]


def priced(price, **more):
    return (
        units("pcs")
        .with_step("Items")
        .goods("item:1", "1", code("pcs"), price=price, **more)
    )


def the_item():
    return row_of("Items", "1")


def entry_of(report, identifier="item:1"):
    return next(one for one in report.items if one.id == identifier)


def test_an_update_without_changes_only_updates_the_mark(run, business):
    """Without event and version, or open forms and API clients would get 412
    (IMP-210)."""
    run(priced(Decimal("1.5")))
    before, events = the_item(), ChangeEvent.objects.count()
    planned = run(priced(Decimal("1.50")), dry_run=True)
    assert the_item().import_source_hash == before.import_source_hash
    report = run(priced(Decimal("1.50")))
    entry = entry_of(report)
    assert (entry.outcome, entry.changes) == ("Updated", {})
    assert "the row already has its values" in entry.message
    assert entry_of(planned).wire() == entry.wire()
    after = the_item()
    assert after.import_source_hash != before.import_source_hash
    assert (after.version, after.modified) == (before.version, before.modified)
    assert not after.is_modified_after_import
    assert ChangeEvent.objects.count() == events
    assert set(outcomes(run(priced(Decimal("1.50")))).values()) == {"Unchanged"}


def test_users_can_still_save_a_row_after_such_an_update(run, admin):
    run(priced(Decimal("1.5")))
    opened = the_item()
    run(priced(Decimal("1.50")))
    services.update_record(row=opened, data={"name": "Mine"}, actor=admin)
    after = the_item()
    assert (after.name, after.is_modified_after_import) == ("Mine", True)
    assert entry_of(run(priced(2))).outcome == "SkippedUserModified"


def test_overwriting_an_equal_user_change_resets_the_mark(run, admin):
    run(priced(1))
    edit_row(the_item(), actor=admin, price="2")
    events = ChangeEvent.objects.count()
    package = priced(2)
    package.steps[1]["onUserModified"] = "overwrite"
    assert entry_of(run(package)).outcome == "Updated"
    assert not the_item().is_modified_after_import
    assert ChangeEvent.objects.count() == events


def test_a_kept_row_is_reported_with_differences(run, admin):
    run(priced(1, description="old"))
    edit_row(the_item(), actor=admin, price="5", name="Mine")
    changed = priced(2, description="x" * 250)
    planned, report = run(changed, dry_run=True), run(changed)
    entry = entry_of(report)
    assert entry.outcome == "SkippedUserModified"
    assert entry.differences == {
        "name": ["Mine", "Item 1"],
        "price": ["5.0000", "2.0000"],
        "description": ["old", "x" * 200 + "…"],
    }
    assert entry.changes is None
    assert entry_of(planned) == entry
    assert entry_of(run(changed)) == entry


def test_a_row_edited_to_the_values_of_the_package_is_reported_once(
    run, admin, business
):
    """After that it is Unchanged, and still changed by a user (IMP-072)."""
    run(priced(1))
    edit_row(the_item(), actor=admin, price="2")
    edited, before = the_item(), business()
    planned = entry_of(run(priced(2), dry_run=True))
    assert business() == before
    report = run(priced(2))
    entry = entry_of(report)
    assert (entry.outcome, entry.differences) == ("SkippedUserModified", {})
    assert "to exactly the values of the object" in entry.message
    assert planned == entry
    after = the_item()
    assert after.import_source_hash != edited.import_source_hash
    for column in ("version", "modified", "import_imported_at"):
        assert getattr(after, column) == getattr(edited, column)
    assert entry_of(run(priced(2))).outcome == "Unchanged"
    assert entry_of(run(priced(3))).outcome == "SkippedUserModified"
    assert the_item().price == Decimal(2)


def test_invalid_values_give_no_differences(run, admin):
    run(priced(1))
    edit_row(the_item(), actor=admin, name="Mine")
    for changed in (priced(-1), priced(1)):
        changed.steps[1]["items"][0]["unitOfMeasureId"] = code("none")
        entry = entry_of(run(changed))
        assert (entry.outcome, entry.differences) == ("SkippedUserModified", None)


def test_without_the_right_to_change_there_are_no_differences(run, admin, clerk):
    run(priced(1))
    edit_row(the_item(), actor=admin, price="2")
    before = the_item()
    report = run(priced(2), user=clerk("add_item"))
    assert entry_of(report).differences is None
    assert the_item().import_source_hash == before.import_source_hash


def test_a_row_changed_during_its_comparison_is_compared_again(run, admin, monkeypatch):
    run(priced(1))
    edit_row(the_item(), actor=admin, price="2")
    before, prepare = the_item(), RecordTarget.prepare

    def meanwhile(self, order, look):
        monkeypatch.undo()
        prepared = prepare(self, order, look)
        edit_row(the_item(), actor=admin, price="7")
        return prepared

    package = priced(2)
    monkeypatch.setattr(RecordTarget, "prepare", meanwhile)
    entry = entry_of(run(package))
    assert entry.outcome == "SkippedUserModified"
    assert entry.differences == {"price": ["7.0000", "2.0000"]}
    assert the_item().import_source_hash == before.import_source_hash


def many(count, price):
    package = units("pcs").with_step("Items")
    for number in range(count):
        package.goods(f"item:{number}", str(number), code("pcs"), price=price)
    return package


def test_rows_to_be_compared_are_loaded_by_the_window(run, admin):
    run(many(30, 1))
    for number in range(30):
        edit_row(row_of("Items", str(number)), actor=admin, name="Mine")
    found = []
    for count in (3, 30):
        with CaptureQueriesContext(connection) as asked:
            run(many(count, 2), dry_run=True)
        found.append(len(asked))
    assert found[0] == found[1]


def test_without_kept_rows_there_are_no_further_queries(run):
    run(many(30, 1))
    with CaptureQueriesContext(connection) as asked:
        run(many(30, 1), dry_run=True)
    # The record of the dry run has statements of its own, whatever the package.
    own = [q for q in asked if not re.search("importer_|SAVEPOINT", q["sql"])]
    assert len(own) <= 3
    assert len(asked) <= 24


def test_reports_of_earlier_versions_can_still_be_read():
    (old,) = unpack(b'[["u",0,0,"Items","Updated","",7,{"name":["a","b"]}]]')
    assert (old.changes, old.differences) == ({"name": ["a", "b"]}, None)
