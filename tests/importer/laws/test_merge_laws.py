"""Merging agrees with a naive three-way merge over random packages and edits."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, note, strategies as st

from catalogs.models import Item
from importer.package.hashing import source_hash
from platform_site.records import wire
from platform_site.records.services import update_record
from tests.drill import effort
from tests.importer.laws.world import rolled_back, run, told

pytestmark = pytest.mark.django_db
VALUES = {
    "name": ["A", "B", "C"],
    "description": ["", "x", "y"],
    "price": ["1.0000", "2.0000", None],
    "category": ["goods", "material"],
}
# More than the three of a window, so that each has its own history.
IDS = ["i1", "i2", "i3"]
some_values = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(given) for name, given in VALUES.items()}
)
objects = st.fixed_dictionaries(
    {name: st.sampled_from(VALUES[name]) for name in ("name", "category")},
    optional={name: st.sampled_from(VALUES[name]) for name in ("description", "price")},
)
packages = st.fixed_dictionaries(dict.fromkeys(IDS, objects))
edits = st.tuples(st.sampled_from(IDS), some_values)
acts = st.lists(st.one_of(edits, edits, packages), min_size=3, max_size=9)


@dataclass
class Naive:
    """A row as the law thinks of it: its values, what the engine wrote last, and the
    object that its mark knows."""

    row: dict
    last: dict = field(default_factory=dict)
    known: dict | None = None
    by_user: bool = False

    def edit(self, values):
        changed = {n: v for n, v in values.items() if self.row[n] != v}
        self.row |= changed
        self.by_user |= bool(changed)

    def apply(self, package):
        """Return the outcome of an object and its conflicts."""
        if package == self.known:
            return "Unchanged", None
        if not self.by_user:
            first, self.known = self.known is None, package
            self.row |= package
            self.last = dict(self.row)
            return "Inserted" if first else "Updated", None
        taken, conflicts = {}, {}
        for name, value in package.items():
            here, last = self.row[name], self.last[name]
            if value in (here, last):
                continue
            if here == last:
                taken[name] = value
            else:
                conflicts[name] = [last, here, value]
        self.row |= taken
        self.last |= taken
        if not conflicts:
            self.known = package
        return "Updated" if taken else "SkippedUserModified", conflicts or None


def steps_of(package):
    unit = {"$id": "u", "code": "U", "name": "U"}
    shared = {"isFolder": False, "unitOfMeasureId": {"$ref": "u"}}
    items = [
        {"$id": each, "code": each, **shared, **values}
        for each, values in package.items()
    ]
    return [
        {"dictionary": "UnitsOfMeasure", "items": [unit]},
        {"dictionary": "Items", "onUserModified": "merge", "items": items},
    ]


def stored(identifier):
    row = Item.objects.get(import_key=identifier)
    values = wire.serializer_of(Item)(row).data
    return row, {name: values[name] for name in VALUES}


@effort(25)
@given(first=packages, doings=acts)
def test_merging_agrees_with_a_naive_merge_and_a_dry_run_with_the_run(
    admin_user, first, doings
):
    empty = {"name": None, "description": "", "price": None, "category": None}
    naive = {each: Naive(dict(empty)) for each in IDS}
    with rolled_back():
        for doing in [first, *doings]:
            if isinstance(doing, tuple):
                identifier, values = doing
                row, _values = stored(identifier)
                update_record(row=row, data=values, actor=admin_user)
                naive[identifier].edit(values)
                continue
            note(str(doing))
            steps = steps_of(doing)
            planned = run(steps, admin_user, dry_run=True, window=2)
            done = run(steps, admin_user, window=2)
            assert told(planned) == told(done)
            entries = {one.id: one for one in done.items}
            for identifier, package in doing.items():
                entry, model = entries[identifier], naive[identifier]
                expected = model.apply(package)
                assert (entry.outcome.value, entry.conflicts) == expected
                row, values = stored(identifier)
                assert values == model.row
                assert row.is_modified_after_import == model.by_user
                mark = row.import_source_hash
                item = next(i for i in steps[1]["items"] if i["$id"] == identifier)
                assert (mark == source_hash(item)) == (model.known == package)
