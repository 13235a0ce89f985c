"""Rows that a user changed, merged with objects that changed in the package."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from importer.runs import history
from platform_site.changes import context
from platform_site.changes.context import ChangeOrigin
from platform_site.changes.models import ChangeEvent
from platform_site.context_values import assigned
from platform_site.records.importing import RecordTarget
from tests.builders import code, delete_row, edit_row, row_of, units

pytestmark = pytest.mark.django_db


def item(price=1, name="N", **more):
    package = units("pcs").with_step("Items", onUserModified="merge")
    return package.goods("item:1", "1", code("pcs"), price=price, name=name, **more)


def the_item():
    return row_of("Items", "1")


def both(run, package, **options):
    """Run a package dry, then in earnest; return the entry of the item."""
    planned = run(package, dry_run=True, **options)
    done = run(package, **options)
    assert [e.wire() for e in planned.items] == [e.wire() for e in done.items]
    return next(one for one in done.items if one.id == "item:1")


def test_what_only_one_side_changed_is_taken_from_it(run, admin):
    run(item(1, "N"))
    edit_row(the_item(), actor=admin, name="Mine")
    entry = both(run, item(2, "N"))
    assert (entry.outcome, entry.message) == ("Updated", "")
    assert entry.changes == {"price": ["1.0000", "2.0000"]}
    assert (entry.differences, entry.conflicts) == (None, None)
    row = the_item()
    assert (row.name, row.price) == ("Mine", Decimal(2))
    assert both(run, item(2, "N")).outcome == "Unchanged"


def test_a_merged_row_still_has_the_values_of_its_user(run, admin):
    run(item(1, "N", description="d"))
    edit_row(the_item(), actor=admin, name="Mine")
    for price, description in ((2, "d"), (2, "e"), (3, "e")):
        entry = both(run, item(price, "N", description=description))
        assert entry.outcome == "Updated"
        assert the_item().name == "Mine"
        assert the_item().is_modified_after_import
    skipped = item(4, "N")
    skipped.steps[1]["onUserModified"] = "skip"
    assert both(run, skipped).outcome == "SkippedUserModified"


def test_what_both_changed_is_a_conflict_and_kept(run, admin, business):
    run(item(1, "N", description="d"))
    edit_row(the_item(), actor=admin, name="Mine", price="5")
    package = item(2, "Theirs", description="e")
    entry = both(run, package)
    assert entry.outcome == "Updated"
    assert entry.changes == {"description": ["d", "e"]}
    assert entry.conflicts == {
        "name": ["N", "Mine", "Theirs"],
        "price": ["1.0000", "5.0000", "2.0000"],
    }
    assert "name, price" in entry.message
    row, before = the_item(), business()
    assert (row.name, row.price, row.description) == ("Mine", Decimal(5), "e")
    again = both(run, package)
    assert again.outcome == "SkippedUserModified"
    assert again.conflicts == entry.conflicts
    assert set(again.differences) == {"name", "price"}
    assert business() == before


def test_a_conflict_ends_when_one_side_gives_in(run, admin):
    run(item(1, "N"))
    edit_row(the_item(), actor=admin, name="Mine")
    assert both(run, item(1, "Theirs")).conflicts
    edit_row(the_item(), actor=admin, name="Theirs")
    entry = both(run, item(1, "Theirs"))
    assert (entry.outcome, entry.differences) == ("SkippedUserModified", {})
    assert both(run, item(1, "Theirs")).outcome == "Unchanged"


def test_an_object_that_goes_back_is_no_conflict(run, admin):
    run(item(1, "N"))
    edit_row(the_item(), actor=admin, name="Mine")
    assert both(run, item(1, "Theirs")).conflicts
    assert both(run, item(1, "N")).outcome == "Unchanged"
    entry = both(run, item(2, "N"))
    assert (entry.outcome, entry.conflicts) == ("Updated", None)
    assert the_item().name == "Mine"


def test_a_change_that_only_the_user_made_is_told_once(run, admin):
    run(item(1, "N"))
    edit_row(the_item(), actor=admin, name="Mine", price="2")
    entry = both(run, item(2, "N"))
    assert entry.outcome == "SkippedUserModified"
    assert entry.differences == {"name": ["Mine", "N"]}
    assert entry.conflicts is None
    assert both(run, item(2, "N")).outcome == "Unchanged"


def test_without_a_history_every_difference_is_a_conflict(run, admin):
    run(item(1, "N"))
    edit_row(the_item(), actor=admin, name="Mine")
    ChangeEvent.objects.filter(row_id=the_item().pk)._raw_delete("default")
    entry = both(run, item(2, "N"))
    assert entry.outcome == "SkippedUserModified"
    assert entry.conflicts == {
        "name": [None, "Mine", "N"],
        "price": [None, "1.0000", "2.0000"],
    }


def test_rows_that_nobody_changed_are_updated_as_ever(run, admin):
    run(item(1))
    assert both(run, item(2)).outcome == "Updated"
    assert not the_item().is_modified_after_import
    drift = item(3)
    drift.steps[1]["onChange"] = "skip"
    edit_row(the_item(), actor=admin, name="Mine")
    assert both(run, drift).outcome == "SkippedDrift"
    delete_row(the_item(), actor=admin)
    assert both(run, item(4)).outcome == "SkippedDeleted"


def test_values_that_are_refused_fail(run, admin):
    run(item(1))
    edit_row(the_item(), actor=admin, name="Mine")
    entry = both(run, item(-1), continue_on_error=True)
    assert entry.outcome == "Failed"
    assert entry.message.startswith("steps[1].items[0].price: ")
    assert the_item().price == 1


def test_a_row_changed_during_its_merge_is_merged_again(run, admin, monkeypatch):
    run(item(1, "N"))
    edit_row(the_item(), actor=admin, name="Mine")
    prepare = RecordTarget.prepare

    def meanwhile(self, order, lookup):
        monkeypatch.undo()
        prepared = prepare(self, order, lookup)
        # Outside of the run, to which everything inside its context belongs.
        with assigned(context._acting, lambda: context.Acting(None, ChangeOrigin.USER)):
            edit_row(the_item(), actor=admin, price="7")
        return prepared

    monkeypatch.setattr(RecordTarget, "prepare", meanwhile)
    report = run(item(2, "N"))
    entry = next(one for one in report.items if one.id == "item:1")
    assert entry.conflicts == {"price": ["1.0000", "7.0000", "2.0000"]}
    assert the_item().price == 7


def many(count, price):
    package = units("pcs").with_step("Items", onUserModified="merge")
    for number in range(count):
        package.goods(f"item:{number}", str(number), code("pcs"), price=price)
    return package


def test_the_history_is_loaded_by_the_window(run, admin, monkeypatch):
    monkeypatch.setattr(history, "_BETWEEN_WRITES", 3600)
    run(many(20, 1))
    found = []
    for count in (3, 20):
        for number in range(count):
            edit_row(row_of("Items", str(number)), actor=admin, name="Mine")
        with CaptureQueriesContext(connection) as asked:
            run(many(count, 2), dry_run=True)
        found.append(len(asked))
    assert found[0] == found[1]
