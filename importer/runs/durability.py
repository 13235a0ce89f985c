"""Commits of a run that don't wait for the disk, made durable at its end.

Single commits of a run may be lost in a power failure, since the run can be repeated.
The write of its end must not; on both databases it makes all earlier commits durable.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, Error, connections

_RELAXED = {
    "sqlite": ("PRAGMA synchronous = NORMAL", "PRAGMA synchronous = FULL"),
    "postgresql": ("SET synchronous_commit = off", "SET synchronous_commit = on"),
}


@contextmanager
def relaxed() -> Iterator[None]:
    """Relax the commits of this thread's connection inside the block.

    Inside a transaction of the caller nothing is changed, since it could not be
    reverted there.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    statements = _RELAXED.get(connection.vendor)
    if statements is None or connection.in_atomic_block:
        yield
        return
    relax, restore = statements
    with connection.cursor() as cursor:
        cursor.execute(relax)
    try:
        yield
    finally:
        try:
            with connection.cursor() as cursor:
                cursor.execute(restore)
        except Error:
            # The next connection will be durable, like every new one.
            connection.close()
