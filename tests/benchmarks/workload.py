"""The packages that are measured, and the same rows for the peer."""

from __future__ import annotations

import io
import json

import tablib

UNITS = 50


def package(items, *, word="Item", changed=0, by_code=True):
    """Return a package of items, the first ones with another name, as bytes."""
    units = [
        {"$id": f"unit:{n}", "code": f"U{n}", "name": f"Unit {n}"} for n in range(UNITS)
    ]
    folder = {"$id": "folder", "isFolder": True, "code": "F", "name": "Everything"}
    rows = [folder, *(item(n, word, n < changed, by_code) for n in range(items))]
    steps = [
        {"dictionary": "UnitsOfMeasure", "items": units},
        {"dictionary": "Items", "items": rows},
    ]
    return encoded("benchmark", steps)


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


def item(number, word, is_changed, by_code):
    unit = number % UNITS
    return {
        "$id": f"item:{number}",
        "isFolder": False,
        "code": f"A-{number:06}",
        "name": f"{word} number {number}{' changed' if is_changed else ''}",
        "parentId": {"$ref": "folder"},
        "category": "goods",
        "unitOfMeasureId": {"$code": f"U{unit}"}
        if by_code
        else {"$ref": f"unit:{unit}"},
        "barcode": f"40{number:011}",
        "price": number % 997 + 0.25,
        "description": f"What there is to say of number {number}",
    }


def dataset(items, *, changed=0):
    """Return the same items as the peer reads them."""
    headers = (
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
    rows = tablib.Dataset(headers=headers)
    rows.append(["1", "F", "Everything", "", "", "", "", "", ""])
    for number in range(items):
        one = item(number, "Item", number < changed, by_code=True)
        unit = one["unitOfMeasureId"]["$code"]
        price = f"{number % 997}.2500"
        rows.append(
            [
                "0",
                one["code"],
                one["name"],
                "F",
                one["category"],
                unit,
                one["barcode"],
                price,
                one["description"],
            ]
        )
    return rows


def stream(data):
    return io.BytesIO(data)
