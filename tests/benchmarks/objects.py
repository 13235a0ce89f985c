"""Imports of objects beside those of the peers: in every round each measurement is
taken of everyone, in random order."""

from __future__ import annotations

import gc
import random

from django.db import connection

from tests.benchmarks import ours, raw, tryton, workload
from tests.benchmarks.peer.models import Unit
from tests.benchmarks.peer.resources import DEFAULTS, WITH_HISTORY, Tuned, imported
from tests.benchmarks.timing import Timings

TABLES = (
    "peer_historicalitem",
    "peer_item",
    "peer_plainitem",
    "peer_bulkitem",
    "peer_unit",
    "catalogs_item",
    "catalogs_unitofmeasure",
    "changes_changeevent",
    "changes_formermark",
)
# Short measurements are taken several times in a row.
TIMES = 3


def measure(objects, rounds, tryton_python=None):
    """Return µs per object."""
    timings = Timings()
    beside = tryton.started(tryton_python, objects)
    entrants = [
        Ours(objects),
        PeerOfGoals("import-export with history", WITH_HISTORY, objects),
        Peer("import-export", DEFAULTS, objects, again="update"),
        Peer("import-export tuned", Tuned, objects),
        Limits(objects),
        *([beside] if beside else []),
    ]
    # The peers' rows stay in memory: no garbage collection shall walk them.
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        empty()
        for what in ("dry_run", "first", "identical", "changed"):
            takers = [one for one in entrants if hasattr(one, what)]
            for one in random.sample(takers, len(takers)):
                getattr(one, what)(timings, objects / 1e6)
    if beside:
        beside.end()
    return {"objects": timings.figures}


class Ours:
    """The importer of the product."""

    def __init__(self, objects):
        self.some = objects // 100
        self.same = workload.package(objects)
        self.changed_some = workload.package(objects, changed=self.some)
        self.few = workload.package(self.some)
        self.few_changed = workload.package(self.some, word="New", changed=self.some)
        self.objects = objects

    def dry_run(self, timings, unit):
        with timings.of("dry run, ours", unit=unit):
            ours.imported(self.same, "Inserted", self.objects, dry_run=True)

    def first(self, timings, unit):
        with timings.of("first, ours", unit=unit):
            ours.imported(self.same, "Inserted", self.objects)

    def identical(self, timings, unit):
        with timings.of("identical, ours", unit=unit * TIMES):
            for _ in range(TIMES):
                ours.imported(self.same, "Unchanged", self.objects)

    def changed(self, timings, unit):
        with timings.of("identical again, ours", unit=unit):
            ours.imported(self.same, "Unchanged", self.objects)
        with timings.of("few identical, ours", unit=unit):
            ours.imported(self.few, "Unchanged", self.some)
        with timings.of("1 % changed, ours", unit=unit):
            ours.imported(self.changed_some, "Updated", self.some)
        with timings.of("few changed, ours", unit=unit):
            ours.imported(self.few_changed, "Updated", self.some)
        # What a run ought to cost that finds as many to change: no more than both.
        parts = ("identical again, ours", "few changed, ours", "few identical, ours")
        whole, changed, same = (timings.figures[name][-1] for name in parts)
        name = "identical + the changed ones, ours"
        timings.figures.setdefault(name, []).append(whole + changed - same)


class Peer:
    """An importer of django-import-export."""

    def __init__(self, name, resource, objects, again="skip"):
        self.name, self.resource = name, resource
        # What happens to a row that is there already.
        self.again = again
        self.rows = workload.dataset(objects)

    def first(self, timings, unit):
        # The folder comes first by itself, since a cache of references is not renewed.
        imported(self.resource, self.rows.subset(rows=[0]), "new")
        with timings.of(f"first, {self.name}", unit=unit):
            imported(self.resource, self.rows, "new")

    def identical(self, timings, unit):
        with timings.of(f"identical, {self.name}", unit=unit):
            imported(self.resource, self.rows, self.again)


class PeerOfGoals(Peer):
    """The one that does as much as we do, measured in all respects."""

    def dry_run(self, timings, unit):
        with timings.of(f"dry run, {self.name}", unit=unit):
            imported(self.resource, self.rows, "new", dry_run=True)

    def changed(self, timings, unit):
        rows = workload.dataset(len(self.rows) - 1, changed=len(self.rows) // 100)
        with timings.of(f"1 % changed, {self.name}", unit=unit):
            imported(self.resource, rows, "skip")


class Limits:
    """What cannot be left out: the statements alone, and the reading alone."""

    def __init__(self, objects):
        self.objects = objects
        self.package = workload.package(objects)
        self.cyrillic = workload.package(objects, word="Вещь")

    def first(self, timings, unit):
        with timings.of("first, raw driver", unit=unit):
            raw.write(self.objects)

    def identical(self, timings, unit):
        named = {
            "identical, reading and hashing": (ours.read_and_hash, self.package),
            "reading ASCII": (ours.read, self.package),
            "reading Cyrillic": (ours.read, self.cyrillic),
        }
        for name, (function, package) in named.items():
            with timings.of(name, unit=unit * TIMES):
                for _ in range(TIMES):
                    function(package)


def empty():
    """Empty the tables of both sides, below the services, and add what rows refer to."""
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"DELETE FROM {table}")
        # So that no round meets the dead rows of the one before.
        cursor.execute("VACUUM")
    Unit.objects.bulk_create(
        Unit(code=f"AU{n}", name=f"Unit {n}") for n in range(workload.UNITS)
    )
    ours.imported(workload.package(0, prefix="R"), "Inserted", 1)
