"""The mark of a row is set whole or not at all, whoever saves the row: half of one would
hide the row from every run."""

from __future__ import annotations

import pytest
from django.utils import timezone

from catalogs.models import Warehouse
from importer.targets import MARK_FIELDS
from tests.catalogs.rows import a_warehouse, stored
from tests.records.imported import imported_warehouse

pytestmark = pytest.mark.django_db
WHOLE = ("Import", "a.program", "one", "0" * 64, timezone.now())
HALF = "The import mark of a row has five columns, all set or none"


def mark_of(row):
    return tuple(getattr(stored(row), name) for name in MARK_FIELDS)


@pytest.mark.parametrize("name", MARK_FIELDS)
def test_a_new_row_with_half_a_mark_is_refused(name):
    values = dict(zip(MARK_FIELDS, WHOLE, strict=True))
    with pytest.raises(ValueError, match=f"{HALF}; set here: {name}\\."):
        Warehouse(code="1", name="One", **{name: values[name]}).save()
    assert not Warehouse.objects.exists()


@pytest.mark.parametrize("columns", [None, ["import_key"]])
def test_a_stored_row_cannot_get_half_a_mark(columns):
    row = a_warehouse()
    row.import_key = "one"
    with pytest.raises(ValueError, match=HALF):
        row.save(update_fields=columns)
    assert mark_of(row) == (None,) * 5


def test_a_stored_mark_cannot_lose_half():
    row = imported_warehouse()
    whole = mark_of(row)
    row.import_source = None
    with pytest.raises(ValueError, match=HALF):
        row.save()
    assert mark_of(row) == whole


def test_one_column_of_a_whole_mark_may_change():
    row = imported_warehouse()
    row.import_key = "renamed"
    row.save(update_fields=["import_key"])
    assert stored(row).import_key == "renamed"


def test_a_whole_mark_may_be_set_and_taken_away():
    row = a_warehouse()
    for values in (WHOLE, (None,) * 5):
        for name, value in zip(MARK_FIELDS, values, strict=True):
            setattr(row, name, value)
        row.save()
        assert mark_of(row) == values


def test_a_row_that_was_read_without_its_mark_keeps_it():
    row = imported_warehouse()
    whole = mark_of(row)
    part = Warehouse.objects.only("name", "version").get(pk=row.pk)
    part.name = "Other"
    part.save()
    assert mark_of(row) == whole
