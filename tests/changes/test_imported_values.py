"""What imports wrote last to a row depends on that row alone."""

from __future__ import annotations

import datetime
import uuid

import pytest

from importer.models import ImportRun
from platform_site.changes.imported_values import last_imported
from platform_site.changes.models import ChangeEvent

pytestmark = pytest.mark.django_db
DAYS = [datetime.datetime(2026, 3, day, tzinfo=datetime.UTC) for day in range(1, 9)]


def a_run(day, **about):
    about |= {"started_at": DAYS[day], "time_zone": "UTC", "run_id": uuid.uuid4()}
    return ImportRun.objects.create(status="Completed", **about)


def changed(row_id, day, value, run=None):
    ChangeEvent(
        at=DAYS[day],
        action="updated",
        origin="User" if run is None else "Import",
        run_id=None if run is None else run.pk,
        model="Items",
        row_id=row_id,
        row="x",
        changes={"name": value},
    ).save()


def test_an_undone_run_before_the_import_of_a_row_is_no_part_of_its_story():
    early, undone = a_run(0), a_run(1)
    undo = a_run(2, kind=ImportRun.Kind.UNDO, based_on=undone)
    changed(1, 1, ["A", "B"], undone)
    # The undo left the row as imported at that time.
    changed(1, 2, ["B", "A"], undo)
    changed(1, 3, ["A", "C"])
    changed(2, 0, [None, "A"], early)
    changed(2, 3, ["A", "D"])
    alone = last_imported("Items", {1: DAYS[2]})
    together = last_imported("Items", {1: DAYS[2], 2: DAYS[0]})
    assert alone == {1: {"name": "A"}}
    assert together == {1: {"name": "A"}, 2: {"name": "A"}}
