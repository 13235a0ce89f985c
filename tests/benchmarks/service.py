"""Measure a served installation: how long reads and writes wait while an import runs
in the background, beside the same calls when nothing else does."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import django

from tests.benchmarks import workload

READS = 200
EVERY = 0.02


def main(provider, objects):
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.benchmarks.settings"
    django.setup()
    print(json.dumps(measure(provider, int(objects))))


def measure(provider, objects):
    """Return milliseconds: p99 of reads and the worst write, idle and under load."""
    with served(provider) as admin:
        admin.ended(admin.upload(Whole(workload.package(200))))
        idle = Calls(admin)
        idle.go(lambda: len(idle.reads) >= READS)
        begun = admin.upload(Whole(changed(objects)))
        busy = Calls(admin)
        busy.go(lambda: admin.run(begun)["status"] != "Running")
        assert admin.run(begun)["status"] == "Completed"
    return {"idle": idle.summary(), "importing": busy.summary()}


def changed(objects):
    """Return a package of other objects than those that are there."""
    package = json.loads(workload.package(objects))
    package["package"] = "benchmark-service"
    for step in package["steps"]:
        for item in step["items"]:
            item["code"] = f"S{item['code']}"
            if "unitOfMeasureId" in item:
                item["unitOfMeasureId"] = {
                    "$code": f"S{item['unitOfMeasureId']['$code']}"
                }
    return json.dumps(package).encode()


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
            "p99": statistics.quantiles(self.reads, n=100)[98],
            "median": statistics.median(self.reads),
            "worst write": max(self.writes),
            "reads": len(self.reads),
        }


@contextlib.contextmanager
def served(provider):
    """Serve a new installation, and yield its administrator."""
    from tests.journeys.installation import PostgresInstallation, SqliteInstallation
    from tests.journeys.test_integrator import signed_in
    from tests.site.host.processes import free_port

    kind = SqliteInstallation if provider == "Sqlite" else PostgresInstallation
    with tempfile.TemporaryDirectory() as folder:
        installation = kind(Path(folder) / "data")
        port = free_port()
        installation.env["ASPNETCORE_URLS"] = f"http://127.0.0.1:{port}"
        try:
            with installation.running("serve") as process:
                while not process.stdout.readline().startswith("Platform is served"):
                    assert process.poll() is None, process.communicate()
                yield signed_in(f"http://127.0.0.1:{port}")
        finally:
            if provider != "Sqlite":
                installation.drop()


if __name__ == "__main__":
    main(*sys.argv[1:])
