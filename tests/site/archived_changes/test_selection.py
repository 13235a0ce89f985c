"""Which changes of an imported row stay, told by their days."""

from __future__ import annotations

import datetime
import uuid

import pytest
from django.db import models

from catalogs.models import UnitOfMeasure
from platform_site.changes.models import ChangeEvent, FormerMark
from platform_site.site.archived_changes.selection import dispensable
from tests.catalogs.rows import a_unit

pytestmark = pytest.mark.django_db


def day(number):
    return datetime.datetime(2026, 3, number, tzinfo=datetime.UTC)


class Story:
    """The changes of one row, which runs and people wrote on some days."""

    def __init__(self, imported_on):
        self.unit = a_unit()
        mark = {"import_origin": "import", "import_source": "p", "import_key": "k"}
        mark |= {"import_source_hash": "h", "import_imported_at": day(imported_on)}
        models.QuerySet(UnitOfMeasure).filter(pk=self.unit.pk).update(**mark)
        models.QuerySet(ChangeEvent).filter(row_id=self.unit.pk).update(at=day(1))

    def write(self, on, name="name", *, run=False):
        ChangeEvent(
            at=day(on),
            action="updated",
            origin="Import" if run else "System",
            run_id=uuid.uuid4() if run else None,
            model="UnitsOfMeasure",
            row_id=self.unit.pk,
            row="x",
            changes={name: ["A", "B"]},
        ).save()

    def leaving(self):
        """Return the days of the changes that may leave."""
        mine = ChangeEvent.objects.filter(row_id=self.unit.pk, model="UnitsOfMeasure")
        return [event.at.day for part in dispensable(mine) for event in part]


def test_before_the_import_only_the_first_change_stays():
    story = Story(imported_on=4)
    for on in (2, 3):
        story.write(on)
    story.write(4, run=True)
    story.write(5)
    assert story.leaving() == [2, 3]


def test_the_last_run_stays_also_if_a_later_one_wrote_only_the_mark():
    story = Story(imported_on=7)
    story.write(2, run=True)
    story.write(3, run=True)
    for on in (4, 5, 8):
        story.write(on)
    assert story.leaving() == [2, 4, 5]


def test_since_the_import_runs_stay_and_the_first_change_of_each_property():
    story = Story(imported_on=2)
    story.write(2, run=True)
    story.write(3)
    story.write(4)
    story.write(5, "symbol")
    story.write(6, run=True)
    story.write(7)
    story.write(8, run=True)
    story.write(9)
    story.write(10)
    assert story.leaving() == [4, 7, 9]


def test_what_an_undo_would_make_the_last_import_counts_too():
    story = Story(imported_on=6)
    story.write(2, run=True)
    story.write(3)
    story.write(4)
    story.write(5)
    story.write(6, run=True)
    story.write(7)
    assert story.leaving() == [2, 3, 4, 5]
    FormerMark.objects.create(
        run_id=uuid.uuid4(),
        model="UnitsOfMeasure",
        row_id=story.unit.pk,
        origin="import",
        source="p",
        key="k",
        source_hash="h",
        imported_at=day(2),
    )
    assert story.leaving() == [4, 5]
