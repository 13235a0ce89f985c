"""Measure documents: a header, ten lines, posted, the stock checked; ours through the
importer, the peer's by plain Django that saves row by row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.benchmarks import workload

LINES = 10
ITEMS = 50
BATCH = 1000
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
    named = (("Warehouses", "MAIN"), ("Currencies", "EUR"))
    partner = {"$id": "p", "code": "P", "name": "Partner"}
    steps = [
        {"dictionary": "UnitsOfMeasure", "items": units},
        {"dictionary": "Items", "items": rows},
        *(
            {"dictionary": name, "items": [{"$id": code, "code": code, "name": code}]}
            for name, code in named
        ),
        {"dictionary": "Counterparties", "items": [partner]},
    ]
    return workload.encoded("benchmark-catalogs", steps)


def batch_size(documents):
    """Return how many documents are timed together: a thousand, or half of a few."""
    return min(BATCH, documents // 2)


def batch(number, count):
    """Return (receipts, issues) dated after those of the batch before."""
    first = number * BATCH
    receipts = [document("r", first + n, n, 3) for n in range(count // 2)]
    issues = [document("i", first + n, count + n, 2) for n in range(count // 2)]
    return receipts, issues


def document(kind, number, minute, quantity):
    """Return one document whose ten lines are about ten items."""
    at = START + timedelta(hours=number - number % BATCH, minutes=minute / 100)
    return {
        "$id": f"{kind}:{number}",
        "date": at.isoformat(),
        "counterpartyId": {"$code": "P"},
        "warehouseId": {"$code": "MAIN"},
        "currencyId": {"$code": "EUR"},
        "lines": [
            {
                "itemId": {"$code": f"A-{(number * LINES + n) % ITEMS:06}"},
                "quantity": str(quantity),
                "price": f"{n + 1}.2500",
            }
            for n in range(LINES)
        ],
    }


def package(number, receipts, issues):
    """Return a batch as a package whose documents are posted."""
    steps = [
        {"document": "GoodsReceipts", "submit": True, "items": receipts},
        {"document": "GoodsIssues", "submit": True, "items": issues},
    ]
    return workload.encoded(f"benchmark-documents-{number}", steps)


def measure(documents, rounds, ours):
    """Return medians per batch: the peer's, those of our first and of our last."""
    from tests.benchmarks.peer.posting import enter
    from tests.benchmarks.timing import Timings
    from tests.benchmarks.worker import empty, peer

    timings = Timings()
    empty()
    ours(catalogs(), "Inserted", ITEMS)
    peer(workload.dataset(ITEMS))
    size = batch_size(documents)
    batches = documents // size
    for number in range(batches):
        receipts, issues = batch(number, size)
        if number < rounds:
            with timings.of("peer"):
                enter("GoodsReceipts", receipts)
                enter("GoodsIssues", issues)
        names = ["ours, first batch"] if number < rounds else []
        names += ["ours, last batch"] if number >= batches - rounds else []
        with timings.of(*names):
            ours(package(number, receipts, issues), "Inserted", size)
    return timings.medians()
