"""Tryton as a peer, in a process of its own, because it is not one of our libraries."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from django.conf import settings
from django.db import connection

from tests.benchmarks import workload
from tests.environment import inherited

DATABASE = "benchmark_tryton"


def started(python, objects):
    """Return Tryton as an entrant, or None if no Python with it was named."""
    if python:
        return Tryton(python, objects)
    print(
        "Tryton is left out: name a Python with trytond by --tryton.", file=sys.stderr
    )
    return None


class Tryton:
    """Imports the same rows by `import_data`, with the history kept."""

    def __init__(self, python, objects):
        self._folder = tempfile.TemporaryDirectory()
        rows = Path(self._folder.name, "rows.json")
        rows.write_text(
            json.dumps([list(row) for row in workload.dataset(objects)[1:]])
        )
        script = Path(__file__).with_name("importing.py")
        self._process = subprocess.Popen(
            [python, str(script), str(rows), str(workload.UNITS)],
            env={
                **inherited(),
                "TRYTOND_DATABASE__URI": self._uri(),
                "TRYTOND_DATABASE__PATH": self._folder.name,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._asked("prepare")

    def _uri(self):
        if connection.vendor == "sqlite":
            return "sqlite://"
        said = settings.DATABASES["default"]
        place = f"{said['USER']}:{said['PASSWORD']}@{said['HOST']}:{said['PORT']}"
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
            cursor.execute(f"CREATE DATABASE {DATABASE}")
        return f"postgresql://{place}/"

    def _asked(self, what):
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def first(self, timings, unit):
        taken = self._asked("first")
        timings.add("first, Tryton", *(seconds / unit for seconds in taken))

    def identical(self, timings, unit):
        taken = self._asked("identical")
        timings.add("identical, Tryton", *(seconds / unit for seconds in taken))

    def end(self):
        """End the process and remove what it has written."""
        self._process.stdin.close()
        self._process.wait()
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")
        self._folder.cleanup()
