"""The order of the change feed: how far the history is complete, so that a reader who
continues from there misses no event.

On SQLite one transaction writes at a time, so ids are visible in their order. On
PostgreSQL a transaction can draw an id and commit after another one with a higher id.
Therefore each transaction takes a shared lock before its first event, whose key is the
last id drawn until then (a trigger does so, see the migration `0007_order_of_ids`): its
own ids are higher. The lowest key is the end of the feed. Nobody waits for these locks.
"""

from __future__ import annotations

from typing import Any, Final

from django.db import connections, router
from django.db.models import Max

from platform_site.changes.models import ChangeEvent

# The upper 16 bits of the keys, which no other shared lock has.
_TAG: Final = 17989
_LARGEST: Final = 2**63 - 1
_DRAWN: Final = "SELECT last_value - (NOT is_called)::integer FROM {sequence}"
# What this connection has written is visible to itself.
_ANNOUNCED: Final = """
    SELECT min(((classid::bigint & 65535) << 32) | objid::bigint)
    FROM pg_locks
    WHERE locktype = 'advisory' AND mode = 'ShareLock' AND objsubid = 1
        AND classid::bigint >> 16 = %s AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def end_of_feed() -> int:
    """Return the id of the last event before which no other can appear any more.

    Events must be read afterwards, by another statement.
    """
    # The id of a stored event: others may be drawn again after a crash.
    events = ChangeEvent.objects.filter(id__lte=_last_certain())
    last: int | None = events.aggregate(last=Max("id"))["last"]
    return last or 0


def _last_certain() -> int:
    """Return the id up to which every event is visible, or will never exist."""
    connection = connections[router.db_for_read(ChangeEvent)]
    if connection.vendor != "postgresql":
        return _LARGEST
    with connection.cursor() as cursor:
        # In this order: whoever draws an id after the first statement draws a higher
        # one, and whoever drew one before it has announced itself or has ended.
        drawn: int = _number(cursor, _DRAWN.format(sequence=_sequence(cursor)))
        announced: int | None = _number(cursor, _ANNOUNCED, [_TAG])
    return drawn if announced is None else min(drawn, announced)


def _number(cursor: Any, sql: str, params: Any = None) -> Any:
    cursor.execute(sql, params)
    return cursor.fetchone()[0]


def _sequence(cursor: Any) -> Any:
    """Return the name of the sequence of ids, quoted."""
    table = ChangeEvent._meta.db_table
    return _number(cursor, "SELECT pg_get_serial_sequence(%s, 'id')", [table])
