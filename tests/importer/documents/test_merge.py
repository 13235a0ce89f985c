"""Documents that a user changed, merged with objects that changed in the package."""

from __future__ import annotations

import pytest

from documents.services import unpost
from platform_site.changes.services import ChangeOrigin, acting_as
from tests.builders import edit_row, model_of, row_of
from tests.importer.documents.packages import line, receipts, trade

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("filled")]
MERGE = {"onChange": "update", "onUserModified": "merge"}


def receipt(lines, **more):
    return receipts(("r", trade(lines, **more)), **MERGE)


def the_receipt():
    return model_of("GoodsReceipts").objects.get(import_key="r")


def both(run, package, **options):
    planned = run(package, dry_run=True, **options)
    (entry,) = run(package, **options).items
    assert [e.wire() for e in planned.items] == [entry.wire()]
    return entry


def test_the_lines_are_one_property(run, admin):
    run(receipt([line()]))
    edit_row(the_receipt(), actor=admin, comment="Mine")
    entry = both(run, receipt([line(quantity="3"), line("TEA")]))
    assert entry.outcome == "Updated"
    assert list(entry.changes) == ["lines"]
    assert entry.conflicts is None
    row = the_receipt()
    assert (row.comment, row.is_active) == ("Mine", True)
    assert str(row.total) == "10.0000"


def test_lines_that_both_changed_are_one_conflict(run, admin):
    run(receipt([line()]))
    rice = row_of("Items", "RICE").pk
    mine = {"itemId": rice, "quantity": "7", "price": "2.50"}
    edit_row(the_receipt(), actor=admin, lines=[mine])
    entry = both(run, receipt([line(quantity="3")], comment="Theirs"))
    assert entry.changes == {"comment": ["", "Theirs"]}
    (values,) = entry.conflicts.values()
    assert [lines[0]["quantity"] for lines in values] == ["1.0000", "7.0000", "3.0000"]


def test_what_a_user_unposted_stays_unposted(run, admin):
    run(receipt([line()]))
    with acting_as(admin, ChangeOrigin.USER):
        unpost(row=the_receipt(), actor=admin)
    entry = both(run, receipt([line()], comment="New"))
    assert entry.changes == {"comment": ["", "New"]}
    assert entry.conflicts is None
    assert not the_receipt().is_active


def test_a_time_is_the_same_in_every_zone(run, admin):
    run(receipt([line()]))
    edit_row(the_receipt(), actor=admin, date="2026-03-05T12:00:00Z")
    changed = receipt([line()], comment="New")
    entry = both(run, changed, time_zone="Asia/Tokyo")
    assert (entry.outcome, entry.conflicts) == ("Updated", None)
    assert the_receipt().date.day == 5
