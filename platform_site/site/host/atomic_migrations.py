"""One transaction for each migration and the record that it was applied."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration


def is_atomic(connection: BaseDatabaseWrapper, migration: Migration) -> bool:
    """Return whether a migration that fails leaves nothing behind."""
    return bool(migration.atomic and connection.features.can_rollback_ddl)


@contextmanager
def atomic_with_record(
    connection: BaseDatabaseWrapper, migration: Migration
) -> Iterator[None]:
    """Apply or unapply a migration and its record, or neither.

    Django records one whose indexes are made last in a transaction of its own. A
    process killed between the two could never start again: the tables are there.
    """
    if not is_atomic(connection, migration):
        yield
        return
    with ExitStack() as held:
        if connection.vendor == "sqlite":
            # They have to be off, and can be switched outside a transaction only.
            held.enter_context(connection.constraint_checks_disabled())
        held.enter_context(transaction.atomic(using=connection.alias))
        yield
