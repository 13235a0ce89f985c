"""The first reading of a package: keys in any order, objects stored by number."""

from __future__ import annotations

import io
import json
from itertools import permutations

import pytest
from hypothesis import given, strategies as st

from importer import registry
from importer.package.hashing import source_hash
from importer.package.shapes import PackageError
from importer.pipeline.memory import Memory
from importer.pipeline.read import PackageReader
from importer.pipeline.reread import reread
from importer.pipeline.values import Entry
from tests.drill import effort

HEADER = {
    "format": "platform-import/1",
    "package": "a.b",
    "version": 1,
    "origin": "import",
    "configuration": "Trade",
}
UNIT = {"$id": "u1", "code": "Ж", "name": "Piece"}
GOODS = {
    "$id": "i1",
    "isFolder": False,
    "code": "A",
    "name": "Apple",
    "category": "goods",
    "unitOfMeasureId": {"$ref": "u1"},
    "parentId": {"$code": "F"},
}
NO_BARCODE = {**GOODS, "$id": "i2"}
UNITS = {"dictionary": "UnitsOfMeasure", "items": [UNIT]}
ITEMS = {
    "dictionary": "Items",
    "items": [{**GOODS, "barcode": "1"}, NO_BARCODE, {"$id": "i3", "code": 5}],
    "match": ["barcode"],
    "onChange": "skip",
}


def text_of(pairs):
    """Return the JSON of an object with its keys in the given order, duplicates
    included."""
    inner = (f"{json.dumps(key)}: {_value(value)}" for key, value in pairs)
    return "{" + ", ".join(inner) + "}"


def _value(value):
    if isinstance(value, str) and value[:1] in "[{":
        return value
    return json.dumps(value, ensure_ascii=False)


def package(header, steps):
    """Return a package with the keys of header and steps in the given order."""
    steps = "[" + ",\n".join(text_of(step) for step in steps) + "]"
    return text_of((k, steps if k == "steps" else v) for k, v in header).encode()


def read(raw):
    """Return the result of the first reading."""
    memory, source = Memory(), io.BytesIO(raw)
    header = PackageReader(source, registry.package_format(), memory).read()
    entries = [
        Entry(n, 0, memory.ids[n], memory.source_hash(n)) for n in range(len(memory))
    ]
    return {
        "header": header,
        "steps": [(s.target, s.match, s.policy) for s in memory.steps],
        "ids": memory.ids,
        "spans": [memory.span(n) for n in range(len(memory.steps))],
        "hashes": [entry.source_hash for entry in entries],
        "problems": memory.problems,
        "codes": list(memory.code_uses(range(len(memory)))),
        "named": [memory.named(n) for n in range(len(memory))],
        "contents": [one.item for one in reread(source, memory, entries)],
    }


def ordered():
    whole = {**HEADER, "steps": None}
    return read(package(whole.items(), [UNITS.items(), ITEMS.items()]))


def test_everything_is_stored_in_memory():
    known = ordered()
    assert known["ids"] == ["u1", "i1", "i2", "i3"]
    assert known["spans"] == [range(1), range(1, 4)]
    assert known["contents"] == [UNIT, *ITEMS["items"]]
    assert known["hashes"] == [source_hash(item) for item in known["contents"]]
    assert known["named"] == [True, False, False, False]
    assert [(u.number, u.path, u.code) for u in known["codes"]] == [
        (1, "parentId", "F"),
        (2, "parentId", "F"),
    ]
    assert {n: [p.path for p in ps] for n, ps in known["problems"].items()} == {
        2: ["barcode"],
        3: ["isFolder", "name", "barcode", "code"],
    }


@pytest.mark.parametrize("order", list(permutations(ITEMS)))
def test_the_keys_of_a_step_may_have_any_order(order):
    step = [(key, ITEMS[key]) for key in order]
    whole = {**HEADER, "steps": None}
    assert read(package(whole.items(), [UNITS.items(), step])) == ordered()


@effort(60)
@given(data=st.data())
def test_the_keys_of_header_and_steps_may_have_any_order(data):
    def shuffled(mapping):
        keys = data.draw(st.permutations(list(mapping)))
        return [(key, mapping[key]) for key in keys]

    header = shuffled({**HEADER, "steps": None, "$schema": "x"})
    raw = package(header, [shuffled(UNITS), shuffled(ITEMS)])
    assert read(raw) == ordered()


@pytest.mark.parametrize("first", ["items", "dictionary"])
def test_a_duplicate_id_is_reported_once_however_often_the_step_is_read(first):
    step = {"dictionary": "UnitsOfMeasure", "items": [UNIT, UNIT], "onChange": "skip"}
    keys = sorted(step, key=lambda key: key != first)
    raw = package({**HEADER, "steps": None}.items(), [[(k, step[k]) for k in keys]])
    with pytest.raises(PackageError) as caught:
        read(raw)
    (only,) = caught.value.diagnostics
    assert only.path == "steps[0].items[1].$id"


def test_a_reference_to_a_later_object_is_refused_in_both_orders_of_keys():
    child = {"$id": "b", "isFolder": True, "code": "B", "name": "B"}
    child["parentId"] = {"$ref": "a"}
    parent = {"$id": "a", "isFolder": True, "code": "A", "name": "A"}
    for items, bad in (([child, parent], [0]), ([parent, child], [])):
        step = {"items": items, "dictionary": "Items"}
        for keys in permutations(step):
            pairs = [(key, step[key]) for key in keys]
            known = read(package({**HEADER, "steps": None}.items(), [pairs]))
            assert list(known["problems"]) == bad


@pytest.mark.parametrize(
    ("step", "path"),
    [
        ([("items", [UNIT])], "steps[0]"),
        ([("items", [UNIT]), ("dictionary", "Units")], "steps[0].dictionary"),
        ([("items", [UNIT]), ("match", ["x"]), *UNITS.items()][:2], "steps[0]"),
        ([("items", 5), ("dictionary", "Items")], "steps[0].items"),
        ([("dictionary", "Items")], "steps[0].items"),
    ],
)
def test_a_step_without_a_kind_is_refused_at_its_place(step, path):
    with pytest.raises(PackageError) as caught:
        read(package({**HEADER, "steps": None}.items(), [step]))
    assert path in [d.path for d in caught.value.diagnostics]


def test_a_file_that_changed_between_the_readings_ends_the_run():
    raw = package({**HEADER, "steps": None}.items(), [UNITS.items()])
    memory = Memory()
    PackageReader(io.BytesIO(raw), registry.package_format(), memory).read()
    entry = Entry(0, 0, "u1", memory.source_hash(0))
    for other in (raw.replace(b"Piece", b"Peace"), raw[:-30], b""):
        with pytest.raises(PackageError, match="changed while it was read"):
            reread(io.BytesIO(other), memory, [entry])
