"""`manage.py migrate`: Django's command with preparation. Django alone would find no
folder on a fresh installation, would take a lost database for a new one, and would let
two processes migrate at once."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.exceptions import InconsistentMigrationHistory

from platform_site.settings.configuration import active
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.atomic_migrations import atomic_with_record
from platform_site.site.host.before_migrations import migration_lock
from platform_site.site.host.startup import prepare_database


class Command(migrate.Command):
    """Django's command, which prepares the database file first."""

    def execute(self, *arguments: Any, **options: Any) -> str | None:
        """Migrate the database, creating it if it doesn't exist.

        This is here and not in `handle`, because the checks in between open the
        database.
        """
        prepare_database(active())
        self._connection = connections[options["database"]]
        try:
            with migration_lock(), ExitStack() as self._migration:
                return super().execute(*arguments, **options)
        except InconsistentMigrationHistory as error:
            raise StartRefusedError(
                f"The database's history of migrations cannot be continued: {error} "
                "Restore a backup, or start the version that the database is from."
            ) from error

    def migration_progress_callback(
        self,
        action: str,
        migration: Any = None,
        fake: bool = False,  # noqa: FBT001, FBT002 - Django's signature
    ) -> None:
        """Run each migration and its record in one transaction."""
        if action in {"apply_start", "unapply_start"}:
            whole = atomic_with_record(self._connection, migration)
            self._migration.enter_context(whole)
        elif action in {"apply_success", "unapply_success"}:
            self._migration.close()
        super().migration_progress_callback(action, migration, fake)
