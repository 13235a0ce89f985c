"""Measure one provider in a process of its own, and print the medians as JSON."""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import uuid

import django

COLUMNS = (
    "code, name, is_folder, category, barcode, price, description, unit_of_measure_id,"
    ' version, created, modified, is_deleted, "Import_Origin", "Import_Source",'
    ' "Import_Key", "Import_SourceHash", "Import_ImportedAt"'
)
EVENT = "at, user_name, action, origin, run_id, model, row_id, row, changes"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("speed", "memory", "documents"))
    parser.add_argument("--objects", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.benchmarks.settings"
    django.setup()
    from django.conf import settings
    from django.test.utils import get_runner

    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        measure = {"speed": speed, "memory": memory, "documents": documents}[asked.what]
        print(json.dumps(measure(asked.objects, asked.rounds)))
    finally:
        runner.teardown_databases(databases)


def speed(objects, rounds):
    from tests.benchmarks import workload
    from tests.benchmarks.timing import Timings

    timings = Timings()
    same = workload.package(objects)
    changed = workload.package(objects, changed=objects // 100)
    cyrillic = workload.package(objects, word="Вещь")
    rows = workload.dataset(objects)
    changed_rows = workload.dataset(objects, changed=objects // 100)
    # The peer's rows stay in memory: no garbage collection shall walk them meanwhile.
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        empty()
        with timings.of("peer first"):
            peer(rows)
        with timings.of("ours first"):
            ours(same, "Inserted", objects)
        for _ in range(3):
            with timings.of("read and hash"):
                read_and_hash(same)
            with timings.of("ours identical"):
                ours(same, "Unchanged", objects)
        with timings.of("peer identical"):
            peer(rows)
        with timings.of("ours 1 % changed"):
            ours(changed, "Updated", objects // 100)
        with timings.of("peer 1 % changed"):
            peer(changed_rows)
        with timings.of("read ASCII"):
            read(same)
        with timings.of("read Cyrillic"):
            read(cyrillic)
        with timings.of("raw driver"):
            raw(objects)
    return timings.medians()


def memory(objects, rounds):
    """Return peak megabytes of a dry run, a real one and an identical one."""
    import tempfile

    from tests.benchmarks import workload

    peaks = {}
    with tempfile.TemporaryFile() as source:
        write_package(source, objects, workload)
        source.seek(0, 2)
        peaks["file"] = source.tell() / 1e6
        for name, dry in (("dry run", True), ("first", False), ("identical", False)):
            source.seek(0)
            run(source, dry_run=dry)
            peaks[name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return peaks


def documents(objects, rounds):
    """Return the medians of a batch of documents."""
    from tests.benchmarks import documents

    return documents.measure(objects, rounds, ours)


def write_package(source, objects, workload):
    """Write a big package without holding it."""
    head, tail = workload.package(0).rsplit(b"]}]}", 1)
    source.write(head)
    for number in range(objects):
        one = workload.item(number, "Item", False, True)
        source.write(b", " + json.dumps(one).encode())
    source.write(b"]}]}" + tail)


def user():
    from django.contrib.auth import get_user_model

    return get_user_model().objects.get(username="admin")


def run(source, **options):
    from importer.services import ImportOptions, import_package

    return import_package(source, ImportOptions(**options), user=user())


def ours(data, outcome, count):
    from tests.benchmarks import workload

    report = run(workload.stream(data))
    assert report.counts[outcome] >= count, report.counts


def read(data):
    from importer import registry
    from importer.pipeline.memory import Memory
    from importer.pipeline.read import PackageReader
    from tests.benchmarks import workload

    PackageReader(workload.stream(data), registry.package_format(), Memory()).read()


def read_and_hash(data):
    """Read and hash every object with the importer's own reader, and nothing else."""
    from importer import registry
    from importer.package.hashing import digest_of
    from importer.pipeline.memory import Memory
    from importer.pipeline.read import PackageReader
    from tests.benchmarks import workload

    class Reader(PackageReader):
        def _check_for(self, index, keys):
            super()._check_for(index, keys)
            return lambda item, written: None

        def _remember(self, index, item, checked, written, place):
            digest_of(written)

    Reader(workload.stream(data), registry.package_format(), Memory()).read()


def peer(rows):
    from tests.benchmarks.peer.resources import ItemResource

    result = ItemResource().import_data(rows, raise_errors=True)
    assert not result.has_errors()


def empty():
    """Empty the tables of both sides, below the services."""
    from django.db import connection

    tables = (
        "peer_historicalitem",
        "peer_item",
        "peer_unit",
        "catalogs_item",
        "catalogs_unitofmeasure",
        "changes_changeevent",
    )
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")
    from tests.benchmarks import workload
    from tests.benchmarks.peer.models import Unit

    Unit.objects.bulk_create(
        Unit(code=f"U{n}", name=f"Unit {n}") for n in range(workload.UNITS)
    )


def raw(objects):
    """Write as many rows and events through the driver, each pair its transaction."""
    from django.db import connection, transaction
    from django.utils import timezone

    unit = fetch("SELECT min(id) FROM catalogs_unitofmeasure")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM catalogs_item WHERE \"Import_Source\" = 'raw'")
        marks = ", ".join(["%s"] * 17)
        insert = f"INSERT INTO catalogs_item ({COLUMNS}) VALUES ({marks})"
        event = f"INSERT INTO changes_changeevent ({EVENT}) VALUES ({', '.join(['%s'] * 9)})"
        run_id = connection.ops.adapt_unknown_value(uuid.uuid4().hex)
        for n in range(objects):
            now = timezone.now()
            stamp = connection.ops.adapt_datetimefield_value(now)
            row = [f"raw-{n}", f"Item number {n}", False, "goods", f"40{n:011}", "1.25"]
            row += [f"What there is to say of number {n}", unit, 1, stamp, stamp, False]
            row += ["Import", "raw", f"item:{n}", "0" * 64, stamp]
            with transaction.atomic():
                cursor.execute(insert, row)
                values = [stamp, "admin", "created", "Import", run_id, "Items"]
                cursor.execute(event, [*values, n, f"raw-{n}", '{"code": [null, "x"]}'])


def fetch(query):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()[0]


if __name__ == "__main__":
    main()
