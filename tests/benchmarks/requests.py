"""Single requests: a small run, and rows created and read through the API beside plain
DRF."""

from __future__ import annotations

import random

from catalogs.models import Item, UnitOfMeasure
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from tests.benchmarks import ours, workload
from tests.benchmarks.objects import empty
from tests.benchmarks.peer.models import Unit
from tests.benchmarks.timing import Timings
from tests.site.api.callers import with_token

SMALL = 50
REPEATED = 20
READ, PAGE = 100, 50


def measure(creations, rounds):
    """Return milliseconds per run and per row created."""
    timings = Timings()
    empty()
    small = workload.package(SMALL)
    ours.imported(small, "Inserted", SMALL)
    admin = with_token("admin", DEFAULT_ADMIN_PASSWORD)
    for number in range(-1, rounds):
        # The round before the first one warms up.
        taken = timings if number >= 0 else Timings()
        with taken.of(f"identical run of {SMALL} objects", unit=REPEATED / 1e3):
            for _ in range(REPEATED):
                ours.imported(small, "Unchanged", SMALL)
        for entrant in random.sample((_ours, _plain_drf), 2):
            entrant(taken, admin, creations, number)
        for name, path in random.sample(
            (("ours", "/Items"), ("plain DRF", "/peer-read")), 2
        ):
            _read(taken, name, admin, path)
    return {"requests": timings.figures}


def _ours(timings, caller, count, number):
    unit = UnitOfMeasure.objects.values_list("pk", flat=True)[0]
    _create(timings, "ours", caller, "/Items", _bodies(unit, count, number))


def _plain_drf(timings, caller, count, number):
    unit = Unit.objects.values_list("pk", flat=True)[0]
    bodies = _bodies(unit, count, number)
    _create(timings, "plain DRF", caller, "/peer-items", bodies)


def _read(timings, name, caller, path):
    """Read a page of 50 rows, and single rows."""
    keys = list(Item.objects.order_by("-pk").values_list("pk", flat=True)[:READ])
    with timings.of(f"API list, {name}", unit=READ / 1e3):
        for _ in range(READ):
            assert len(caller.get(path).json()["results"]) == PAGE
    with timings.of(f"API row, {name}", unit=len(keys) / 1e3):
        for key in keys:
            assert caller.get(f"{path}/{key}").json()["id"] == key


def _bodies(unit, count, number):
    return [
        {
            "isFolder": False,
            "code": f"C-{number}-{n}",
            "name": f"Item number {n}",
            "category": "goods",
            "unitOfMeasureId": unit,
            "barcode": f"40{n:011}",
            "price": "1.25",
            "description": f"What there is to say of number {n}",
        }
        for n in range(count)
    ]


def _create(timings, name, caller, path, bodies):
    with timings.of(f"API create, {name}", unit=len(bodies) / 1e3):
        for body in bodies:
            caller.made(path, **body)
