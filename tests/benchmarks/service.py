"""A served installation: how long reads and writes wait while an import runs
in the background, beside the same calls when nothing else does."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from tests.benchmarks import workload
from tests.journeys.installation import PostgresInstallation, SqliteInstallation
from tests.journeys.test_integrator import signed_in

READS = 200
EVERY = 0.02


def measure(provider, objects, rounds):
    """Return milliseconds: p99 of reads and the worst write, idle and under load."""
    figures = {}
    with served(provider) as admin:
        admin.ended(admin.upload(Whole(workload.package(200))))
        for number in range(rounds):
            package = workload.package(objects, prefix=f"S{number}N")
            for state, calls in (
                ("idle", _idle(admin)),
                ("importing", _busy(admin, package)),
            ):
                for name, taken in calls.summary().items():
                    figures.setdefault(f"{name}, {state}", []).append(taken)
    return {"service": figures}


def _idle(admin):
    calls = Calls(admin)
    calls.go(lambda: len(calls.reads) >= READS)
    return calls


def _busy(admin, package):
    begun = admin.upload(Whole(package))
    calls = Calls(admin)
    calls.go(lambda: admin.run(begun)["status"] != "Running")
    assert admin.run(begun)["status"] == "Completed"
    return calls


class Whole(SimpleNamespace):
    """A package that is bytes already."""

    def __init__(self, data):
        super().__init__(as_bytes=lambda: data)


class Calls:
    """Read and write at a steady pace, each call on its own clock."""

    def __init__(self, admin):
        self.admin = admin
        self.reads, self.writes = [], []

    def go(self, ended):
        number = 0
        while not (number % 20 == 0 and number and ended()):
            self.reads.append(self.timed("GET", "Items?pageSize=50", None, 200))
            if number % 5 == 0:
                code = f"W{time.monotonic_ns()}"
                data = {"code": code[-20:], "name": "Written meanwhile"}
                self.writes.append(self.timed("POST", "UnitsOfMeasure", data, 201))
            number += 1
            time.sleep(EVERY)

    def timed(self, method, path, data, status):
        start = time.perf_counter()
        answer = self.admin.call(method, path, data)
        assert answer.status == status, answer.json
        return (time.perf_counter() - start) * 1000

    def summary(self):
        return {
            "read, p99": statistics.quantiles(self.reads, n=100)[98],
            "read, median": statistics.median(self.reads),
            "write, worst": max(self.writes),
        }


@contextlib.contextmanager
def served(provider):
    """Serve a new installation, and yield its administrator."""
    with installed(provider) as installation, installation.serving():
        yield signed_in(installation.url)


@contextlib.contextmanager
def installed(provider):
    """Make a new installation."""
    kind = SqliteInstallation if provider == "Sqlite" else PostgresInstallation
    with tempfile.TemporaryDirectory() as folder:
        installation = kind(Path(folder) / "data")
        try:
            yield installation
        finally:
            installation.drop()
