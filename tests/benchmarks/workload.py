"""The packages that are measured, and the same rows for the peers."""

from __future__ import annotations

import io
import json

import tablib

UNITS = 50
# How many documents are timed together.
BATCH = 1000
COLUMNS = (
    "is_folder",
    "code",
    "name",
    "parent",
    "category",
    "unit_of_measure",
    "barcode",
    "price",
    "description",
)


def package(items, *, word="Item", changed=0, prefix="A"):
    """Return a package of items, the first ones with another name, as bytes."""
    rows = [
        _folder(prefix),
        *(item(n, word, n < changed, prefix) for n in range(items)),
    ]
    return encoded(f"benchmark-{prefix.lower()}", [*_units(prefix), _items(rows)])


def write_big(source, items):
    """Write a package of items into a file without holding it in memory."""
    head, tail = package(0, prefix="B").rsplit(b"]}]}", 1)
    source.write(head)
    for number in range(items):
        source.write(b", " + json.dumps(item(number, prefix="B")).encode())
    source.write(b"]}]}" + tail)


def encoded(identifier, steps):
    """Return a package of steps as bytes."""
    header = {
        "format": "platform-import/1",
        "package": identifier,
        "version": 1,
        "origin": "import",
        "configuration": "Trade",
    }
    return json.dumps({**header, "steps": steps}, ensure_ascii=False).encode()


def item(number, word="Item", is_changed=False, prefix="A"):
    """Return one item."""
    return {
        "$id": f"item:{number}",
        "isFolder": False,
        "code": f"{prefix}-{number:06}",
        "name": f"{word} number {number}{' changed' if is_changed else ''}",
        "parentId": {"$ref": "folder"},
        "category": "goods",
        "unitOfMeasureId": {"$code": f"{prefix}U{number % UNITS}"},
        "barcode": f"40{number:011}",
        "price": number % 997 + 0.25,
        "description": f"What there is to say of number {number}",
    }


def _units(prefix):
    units = [
        {"$id": f"unit:{n}", "code": f"{prefix}U{n}", "name": f"Unit {n}"}
        for n in range(UNITS)
    ]
    return [{"dictionary": "UnitsOfMeasure", "items": units}]


def _folder(prefix):
    return {"$id": "folder", "isFolder": True, "code": prefix, "name": "Everything"}


def _items(rows):
    return {"dictionary": "Items", "items": rows}


def dataset(items, *, changed=0):
    """Return the same items as the peers read them, the folder first."""
    rows = tablib.Dataset(headers=COLUMNS)
    rows.append(["1", "A", "Everything", "", "", "", "", "", ""])
    for number in range(items):
        one = item(number, is_changed=number < changed)
        unit = one["unitOfMeasureId"]["$code"]
        price = f"{number % 997}.2500"
        row = ["0", one["code"], one["name"], "A", one["category"], unit]
        rows.append([*row, one["barcode"], price, one["description"]])
    return rows


def batch_size(documents):
    """Return how many documents are timed together: a thousand, or half of a few."""
    return min(BATCH, documents // 2)


def stream(data):
    """Return a package as the importer takes it."""
    return io.BytesIO(data)
