"""`manage.py backup [FILE]`: makes a consistent copy of the SQLite database, also while
the server is running."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from importer.commands import VisibleCommand
from platform_site.settings.configuration import active
from platform_site.site.host.maintenance_commands import back_up, sqlite_database


class Command(VisibleCommand):
    """The command that copies the database, by default to the backup folder."""

    help = "Writes a consistent copy of the SQLite database."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the argument for the file."""
        parser.add_argument(
            "file", nargs="?", type=Path, help="a new file; default: in backups/"
        )

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Copy the database and print the path of the copy."""
        configuration = active()
        copy = back_up(
            sqlite_database(configuration), configuration.data_folder, options["file"]
        )
        self.stdout.write(f"Backup written: {copy}")
