"""Measure documents: a header, ten lines, posted, the stock checked; ours through the
importer, the peer's by plain Django that saves row by row."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from tests.benchmarks import ours, workload
from tests.benchmarks.objects import empty
from tests.benchmarks.peer.posting import enter
from tests.benchmarks.peer.resources import WITH_HISTORY, imported
from tests.benchmarks.timing import Timings

LINES = 10
ITEMS = 5_000
# The first items of each document are in all of them, as a shop's packaging is.
HOT = 3
WAREHOUSES = [f"W-{n}" for n in range(10)]
START = datetime(2026, 1, 1, tzinfo=UTC)


def catalogs():
    """Return the catalogs the documents are about."""
    units = [{"$id": "unit", "code": "U", "name": "Piece"}]
    rows = [
        {
            "$id": f"item:{n}",
            "isFolder": False,
            "code": f"A-{n:06}",
            "name": f"Item {n}",
            "category": "goods",
            "unitOfMeasureId": {"$ref": "unit"},
        }
        for n in range(ITEMS)
    ]
    named = {"Warehouses": WAREHOUSES, "Currencies": ["EUR"]}
    partner = {"$id": "p", "code": "P", "name": "Partner"}
    steps = [
        {"dictionary": "UnitsOfMeasure", "items": units},
        {"dictionary": "Items", "items": rows},
        *(
            {
                "dictionary": name,
                "items": [{"$id": code, "code": code, "name": code} for code in codes],
            }
            for name, codes in named.items()
        ),
        {"dictionary": "Counterparties", "items": [partner]},
    ]
    return workload.encoded("benchmark-catalogs", steps)


def batch(number, count):
    """Return (receipts, issues).

    Every second batch is dated before the one before it, and in each batch the issues
    are posted latest first, so that the stock after them is checked as well.
    """
    first = number * workload.BATCH
    receipts = [document("r", first + n, n, 3) for n in range(count // 2)]
    issues = [document("i", first + n, 2 * count - n, 2) for n in range(count // 2)]
    return receipts, issues


def document(kind, number, minute, quantity):
    """Return one document whose ten lines are about ten items."""
    at = START + timedelta(hours=number // workload.BATCH ^ 1, minutes=minute / 100)
    return {
        "$id": f"{kind}:{number}",
        "date": at.isoformat(),
        "counterpartyId": {"$code": "P"},
        "warehouseId": {"$code": WAREHOUSES[number % len(WAREHOUSES)]},
        "currencyId": {"$code": "EUR"},
        "lines": [
            {
                "itemId": {"$code": f"A-{item(number, n):06}"},
                "quantity": str(quantity),
                "price": f"{n + 1}.2500",
            }
            for n in range(LINES)
        ],
    }


def item(number, line):
    """Return the number of the item in a line of a document."""
    if line < HOT:
        return line
    return HOT + (number * LINES + line) % (ITEMS - HOT)


def package(number, receipts, issues):
    """Return a batch as a package whose documents are posted."""
    steps = [
        {"document": "GoodsReceipts", "submit": True, "items": receipts},
        {"document": "GoodsIssues", "submit": True, "items": issues},
    ]
    return workload.encoded(f"benchmark-documents-{number}", steps)


def measure(documents, rounds):
    """Return milliseconds per document: the peer's, and those of our first and last
    batches."""
    timings = Timings()
    empty()
    ours.imported(catalogs(), "Inserted", ITEMS)
    imported(WITH_HISTORY, workload.dataset(ITEMS), "new")
    size = workload.batch_size(documents)
    batches = documents // size
    for number in range(batches):
        names = ["ours, first"] if number < rounds else []
        names += ["ours, last"] if number >= batches - rounds else []
        entrants = [_ours, _row_by_row] if number < rounds else [_ours]
        for entrant in random.sample(entrants, len(entrants)):
            entrant(timings, number, size, names)
    return {"documents": timings.figures}


def _row_by_row(timings, number, size, _names):
    receipts, issues = batch(number, size)
    with timings.of("row by row", unit=size / 1e3):
        enter("GoodsReceipts", receipts)
        enter("GoodsIssues", issues)


def _ours(timings, number, size, names):
    whole = package(number, *batch(number, size))
    with timings.of(*names, unit=size / 1e3):
        ours.imported(whole, "Inserted", size)
