"""How long the daily check of a SQLite database takes, and how long it holds up somebody
who writes beside it: `python -m tests.benchmarks.database_check`."""

from __future__ import annotations

import argparse
import secrets
import sqlite3
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

from platform_site.site.host.database_check import check_now

_ROWS = 2_000


class Writer(threading.Thread):
    """Commits one row after the other, and keeps how long each took."""

    def __init__(self, database):
        super().__init__()
        self._database = database
        self.stop = threading.Event()
        self.seconds = []

    def run(self):
        """Write until it is stopped."""
        with closing(_opened(self._database)) as live:
            while not self.stop.is_set():
                begun = time.perf_counter()
                live.execute("INSERT INTO note (code, text) VALUES ('x', 'y')")
                self.seconds.append(time.perf_counter() - begun)


def _opened(path):
    database = sqlite3.connect(path, timeout=20, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    return database


def fill(path, mib):
    """Make a database of this size, with an index whose pages lie anywhere."""
    path.parent.mkdir()
    with closing(_opened(path)) as database:
        database.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, code, text)")
        database.execute("CREATE INDEX by_code ON note (code)")
        while path.stat().st_size < mib << 20:
            database.execute("BEGIN")
            rows = [(secrets.token_hex(8), "x" * 300) for _ in range(_ROWS)]
            database.executemany("INSERT INTO note (code, text) VALUES (?, ?)", rows)
            database.execute("COMMIT")


def measure(path):
    """Print how long a check took, and what it meant for a writer."""
    writer = Writer(path)
    writer.start()
    try:
        while len(writer.seconds) < 200:
            time.sleep(0.01)
        before = max(writer.seconds)
        count, begun = len(writer.seconds), time.perf_counter()
        check_now(path, path.parents[1])
        took = time.perf_counter() - begun
        beside = writer.seconds[count:]
    finally:
        writer.stop.set()
        writer.join()
    print(
        f"check {took:.2f} s; {len(beside)} commits beside it, the slowest "
        f"{max(beside, default=0) * 1000:.0f} ms ({before * 1000:.0f} ms before it)"
    )


def main():
    """Measure as often as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mib", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="platform-check-") as folder:
        database = Path(folder, "db", "platform.db")
        fill(database, asked.mib)
        print(f"{database.stat().st_size >> 20} MiB")
        for _ in range(asked.rounds):
            measure(database)


if __name__ == "__main__":
    main()
