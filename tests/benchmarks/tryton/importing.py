"""Runs in a Python that has trytond and nothing of ours: answers each line, `first` or
`identical`, with the CPU seconds, those of the server, and the wall time."""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path

import trytond.modules

DATABASE = "benchmark_tryton"
FIELDS = ["is_folder", "code", "name", "parent", "category", "unit", "barcode"]
FIELDS += ["price", "description"]
# Where the module with the models is.
FOLDER = str(Path(__file__).with_name("modules"))
trytond.modules.__path__.append(FOLDER)
trytond.modules.MODULES_PATH = FOLDER

from trytond import backend  # noqa: E402
from trytond.pool import Pool  # noqa: E402
from trytond.transaction import Transaction  # noqa: E402


def main(rows, units):
    """Answer what is asked until there is no more."""
    rows = json.loads(Path(rows).read_text(encoding="utf-8"))
    for line in sys.stdin:
        what = line.strip()
        if what == "prepare":
            answer = prepare(int(units))
        elif what == "first":
            empty()
            answer = timed(FIELDS, rows)
        else:
            # A row is named by its code, so that it is changed and not made again.
            again = [[row[1], *row] for row in rows]
            answer = timed(["id", *FIELDS], again)
        print(json.dumps(answer), flush=True)


def prepare(units):
    """Make the database with its units and the folder."""
    if backend.name == "sqlite":
        with Transaction().start(None, 0, autocommit=True) as transaction:
            transaction.database.create(transaction.connection, DATABASE)
    database = backend.Database(DATABASE)
    database.connect()
    database.init()
    Pool.start()
    pool = Pool(DATABASE)
    pool.init(update=["ir", "res", "products"], lang=["en"])
    with Transaction().start(DATABASE, 1) as transaction:
        Unit, Item = pool.get("benchmark.unit"), pool.get("benchmark.item")
        Unit.create([{"code": f"AU{n}", "name": f"Unit {n}"} for n in range(units)])
        Item.create([{"code": "A", "name": "Everything", "is_folder": True}])
        transaction.commit()


def empty():
    """Remove all items but the folder, with their history, below the services."""
    with Transaction().start(DATABASE, 1) as transaction:
        cursor = transaction.connection.cursor()
        cursor.execute("DELETE FROM benchmark_item WHERE code <> 'A'")
        cursor.execute("DELETE FROM benchmark_item__history WHERE code <> 'A'")
        transaction.commit()


def timed(fields, rows):
    """Import rows in one transaction, as its client does."""
    gc.collect()
    with Transaction().start(DATABASE, 1, context={"_datetime": None}) as transaction:
        server = server_seconds(transaction)
        cpu, wall = time.process_time(), time.perf_counter()
        count = Pool(DATABASE).get("benchmark.item").import_data(fields, rows)
        assert count == len(rows), count
        transaction.commit()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        server = server_seconds(transaction) - server
    return cpu + server, server, wall


def server_seconds(transaction):
    """Return the CPU seconds of the server's backend, or 0."""
    if backend.name == "sqlite":
        return 0.0
    process = Path("/proc", str(transaction.connection.info.backend_pid))
    try:
        if not (process / "comm").read_text().startswith("postgres"):
            return 0.0
        return int((process / "schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return 0.0


if __name__ == "__main__":
    main(*sys.argv[1:])
