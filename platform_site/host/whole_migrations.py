"""Applies each migration and the record that it was applied in one transaction, for the
command `migrate`."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.migrations.executor import MigrationExecutor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.migrations import Migration
    from django.db.migrations.state import ProjectState


class WholeMigrations(MigrationExecutor):
    """Leave no moment at which a migration is done, but not recorded.

    Django records one whose indexes are made last in a transaction of its own. A
    process killed between the two could never start again: the tables are there.
    """

    def apply_migration(
        self,
        state: ProjectState,
        migration: Migration,
        fake: bool = False,  # noqa: FBT001, FBT002 - Django's signature
        fake_initial: bool = False,  # noqa: FBT001, FBT002 - as above
    ) -> ProjectState:
        """Apply and record a migration, or neither."""
        with self._whole(migration):
            return super().apply_migration(state, migration, fake, fake_initial)

    def unapply_migration(
        self,
        state: ProjectState,
        migration: Migration,
        fake: bool = False,  # noqa: FBT001, FBT002 - Django's signature
    ) -> ProjectState:
        """Take a migration back with its record, or neither."""
        with self._whole(migration):
            return super().unapply_migration(state, migration, fake)

    @contextmanager
    def _whole(self, migration: Migration) -> Iterator[None]:
        if not (migration.atomic and self.connection.features.can_rollback_ddl):
            yield
            return
        with ExitStack() as held:
            if self.connection.vendor == "sqlite":
                # They have to be off, and can be switched outside a transaction only.
                held.enter_context(self.connection.constraint_checks_disabled())
            held.enter_context(transaction.atomic(using=self.connection.alias))
            yield
