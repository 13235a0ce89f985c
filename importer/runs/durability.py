"""Commits of a run that don't wait for the disk, made durable at its end.

A run can be repeated, so its single commits may be lost in a power failure; the write
of its end may not, and on both databases it carries everything before it with it.
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
    """Relax the commits of this thread's connection while the context is open.

    Inside a transaction of the caller nothing is done: there it could not be undone.
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
            # The next connection begins durable, as every one does.
            connection.close()
