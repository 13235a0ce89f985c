"""`manage.py migrate`: Django's own command, which on a fresh installation would find no
folder to create the database in, would take a lost one for new, and would let two
processes migrate at once."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db.migrations.exceptions import InconsistentMigrationHistory

from platform_site.host.before_migrations import migration_lock
from platform_site.host.refusal import StartRefusedError
from platform_site.host.startup import prepare_database
from platform_site.host.whole_migrations import WholeMigrations
from platform_site.settings.configuration import active

# The command offers no other way to say how a migration is applied.
migrate.MigrationExecutor = WholeMigrations  # type: ignore[attr-defined] # imported there


class Command(migrate.Command):
    """Prepare the database file, then migrate as Django does."""

    def execute(self, *arguments: Any, **options: Any) -> str | None:
        """Migrate the database, creating it where it is missing.

        Here and not in `handle`, because the checks in between open the database.
        """
        prepare_database(active())
        try:
            with migration_lock():
                return super().execute(*arguments, **options)
        except InconsistentMigrationHistory as error:
            raise StartRefusedError(
                f"The database's history of migrations cannot be continued: {error} "
                "Restore a backup, or start the version that the database is from."
            ) from error
