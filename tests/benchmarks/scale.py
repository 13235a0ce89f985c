"""The cost per object of big packages, and of small ones beside many rows and events."""

from __future__ import annotations

import datetime
import tempfile
import uuid

from django.db import connection
from django.utils import timezone

from tests.benchmarks import ours, workload
from tests.benchmarks.objects import empty
from tests.benchmarks.timing import Timings

_AT_ONCE = 10_000
_EVENTS = """
WITH RECURSIVE numbers(n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %s
)
INSERT INTO changes_changeevent
    (at, user_name, action, origin, run_id, model, row_id, row, changes)
SELECT %s, 'admin', 'updated', 'Import', %s, 'Items', n, 'A Item', '{"name": ["a", "b"]}'
FROM numbers
"""


def measure(big, small, events, rounds):
    """Return µs per object."""
    timings = Timings()
    empty()
    ours.imported(workload.package(small, prefix="W"), "Inserted", small)
    for n in range(rounds):
        _small(timings, "small, empty database", small, f"E{n}N")
    _big(timings, big)
    for n in range(rounds):
        _small(timings, "small, beside big", small, f"B{n}N")
    add_events(events)
    for n in range(rounds):
        _small(timings, "small, beside events", small, f"V{n}N")
    return {"scale": timings.figures}


def _small(timings, name, objects, prefix):
    package = workload.package(objects, prefix=prefix)
    with timings.of(name, unit=objects / 1e6):
        ours.imported(package, "Inserted", objects)


def _big(timings, objects):
    with tempfile.TemporaryFile() as source:
        workload.write_big(source, objects)
        for name in ("first", "identical"):
            source.seek(0)
            with timings.of(f"big, {name}", unit=objects / 1e6):
                ours.run(source)


def add_events(count):
    """Add change events, below the services, as runs of earlier days have left them."""
    now = timezone.now()
    with connection.cursor() as cursor:
        for number in range(count // _AT_ONCE):
            run_id = connection.ops.adapt_unknown_value(uuid.uuid4().hex)
            at = now - datetime.timedelta(hours=count // _AT_ONCE - number)
            at = connection.ops.adapt_datetimefield_value(at)
            cursor.execute(_EVENTS, [_AT_ONCE, at, run_id])
        cursor.execute("ANALYZE")
