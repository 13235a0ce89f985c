"""`manage.py migrate`: Django's command with preparation. Django alone would find no
folder on a fresh installation, would take a lost database for a new one, and would let
two processes migrate at once."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import Any

from django.core.management.commands import migrate
from django.db import DatabaseError, connections
from django.db.migrations import Migration
from django.db.migrations.exceptions import InconsistentMigrationHistory

from importer.services import is_out_of_space
from platform_site.settings.configuration import active
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.atomic_migrations import atomic_with_record, is_atomic
from platform_site.site.host.before_migrations import migration_lock
from platform_site.site.host.startup import prepare_database
from platform_site.site.host.way_back import after_failed_migration

logger = logging.getLogger("platform.host")


class Command(migrate.Command):
    """Django's command, which prepares the database file first."""

    def execute(self, *arguments: Any, **options: Any) -> str | None:
        """Migrate the database, creating it if it doesn't exist.

        This is here and not in `handle`, because the checks in between open the
        database.
        """
        prepare_database(active())
        self._connection = connections[options["database"]]
        self._current: Migration | None = None
        self._done = 0
        try:
            with migration_lock(), ExitStack() as self._migration:
                return super().execute(*arguments, **options)
        except InconsistentMigrationHistory as error:
            raise StartRefusedError(
                f"The database's history of migrations cannot be continued: {error} "
                "Restore a backup, or start the version that the database is from."
            ) from error
        except Exception as error:
            if self._current is None or self._is_of_the_disk(error):
                raise
            raise self._refusal(self._current, error) from error

    def _is_of_the_disk(self, error: Exception) -> bool:
        # Its subclasses concern statements, this one a damaged file.
        is_damage = type(error) is DatabaseError and self._connection.vendor == "sqlite"
        return is_damage or is_out_of_space(error)

    def _refusal(self, current: Migration, error: Exception) -> StartRefusedError:
        if not isinstance(error, DatabaseError):
            # Its reason is in the code of the migration.
            logger.error("A migration failed", exc_info=error)
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        way_on = after_failed_migration(
            active(),
            is_rolled_back=is_atomic(self._connection, current),
            before=self._done,
        )
        return StartRefusedError(
            f"The migration {current.app_label}.{current.name} failed: {reason}. {way_on}"
        )

    def migration_progress_callback(
        self,
        action: str,
        migration: Any = None,
        fake: bool = False,  # noqa: FBT001, FBT002 - Django's signature
    ) -> None:
        """Run each migration and its record in one transaction."""
        if action in {"apply_start", "unapply_start"}:
            self._current = migration
            whole = atomic_with_record(self._connection, migration)
            self._migration.enter_context(whole)
        elif action in {"apply_success", "unapply_success"}:
            # It commits, which can fail too.
            self._migration.close()
            self._current = None
            self._done += 1
        super().migration_progress_callback(action, migration, fake)
