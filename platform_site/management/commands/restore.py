"""`manage.py restore FILE`: replaces the SQLite database by a backup, after saving the
current one. It is refused while the server is running."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from importer.commands import VisibleCommand
from platform_site.settings.configuration import active
from platform_site.site.host.maintenance_commands import restore, sqlite_database


class Command(VisibleCommand):
    """The command that replaces the database by a copy of the file."""

    help = "Replaces the SQLite database with a backup."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the argument for the backup."""
        parser.add_argument("file", type=Path, help="a backup")

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Restore the backup; print where the old database is and what to do next."""
        configuration = active()
        database = sqlite_database(configuration)
        saved = restore(database, configuration.data_folder, options["file"])
        if saved is not None:
            self.stdout.write(f"The database as it was: {saved}")
        self.stdout.write(f"Restored {options['file']} to {database}")
        self.stdout.write(
            "Start the version the backup is from; a newer one migrates it first."
        )
