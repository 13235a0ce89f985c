"""`manage.py backup [FILE]`: makes a consistent copy of the SQLite database, and with
`--all` an archive of the whole installation; also while the server is running."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from importer.commands import VisibleCommand
from platform_site.settings.configuration import active
from platform_site.site.archives.backup_settings import keys_of
from platform_site.site.archives.errors import ArchiveError
from platform_site.site.archives.making import make_archive
from platform_site.site.host.archive_folder import ENCRYPTED
from platform_site.site.host.maintenance_commands import back_up, sqlite_database


class Command(VisibleCommand):
    """The command that copies the database or the whole installation, by default to
    the backup folder."""

    help = (
        "Writes a consistent copy of the SQLite database, or with --all an archive of "
        "the whole installation."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments."""
        parser.add_argument(
            "file", nargs="?", type=Path, help="a new file; default: in backups/"
        )
        parser.add_argument(
            "--all",
            action="store_true",
            help="database, attachments, key, licence and settings in one archive",
        )

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Make the copy and print its path."""
        configuration = active()
        if options["all"]:
            archive = make_archive(configuration, options["file"])
            checked = keys_of(configuration).check_of_own
            self.stdout.write(f"Archive written and {checked}: {archive}")
            return
        if options["file"] and options["file"].suffix.casefold() == ENCRYPTED:
            raise ArchiveError(
                "A copy of the database alone is never encrypted. Add --all, or choose a "
                f"name without {ENCRYPTED}."
            )
        copy = back_up(
            sqlite_database(configuration), configuration.data_folder, options["file"]
        )
        self.stdout.write(f"Backup written: {copy}")
