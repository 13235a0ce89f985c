"""`manage.py restore FILE`: replaces the installation by an archive, or the SQLite
database by a copy, after saving the current one. It is refused while the server is
running."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from importer.commands import VisibleCommand
from platform_site.accounts.security_log import note_restore
from platform_site.log_context import logged_with
from platform_site.settings.configuration import Configuration, active
from platform_site.site.archives.command_keys import add_key_arguments, given_keys
from platform_site.site.archives.reading import is_archive
from platform_site.site.archives.restoring import restore_archive
from platform_site.site.host.installation import warning_of_program_folder
from platform_site.site.host.maintenance_commands import restore, sqlite_database


class Command(VisibleCommand):
    """The command that restores an archive or a copy of the SQLite database."""

    help = "Restores an archive of the whole installation, or a SQLite database."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the backup and its key."""
        parser.add_argument("file", type=Path, help="an archive or a database")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace a PostgreSQL database that isn't empty, after dumping it",
        )
        add_key_arguments(parser)

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Restore the backup; print where the old state is and what to do next."""
        with logged_with(via="command"):
            self._restore(options)

    def _restore(self, options: dict[str, Any]) -> None:
        configuration = active()
        if warning := warning_of_program_folder(configuration):
            self.stderr.write(f"Warning: {warning}")
        if is_archive(options["file"]):
            self._restore_archive(configuration, options)
            return
        database = sqlite_database(configuration)
        file: Path = options["file"]
        saved = restore(database, configuration.data_folder, file)
        note_restore(name=file.name, taken=_written_at(file))
        if saved is not None:
            self.stdout.write(f"The database as it was: {saved}")
        self.stdout.write(f"Restored {file} to {database}")
        self._say_what_to_start()

    def _restore_archive(
        self, configuration: Configuration, options: dict[str, Any]
    ) -> None:
        file: Path = options["file"]
        restored = restore_archive(
            configuration,
            file,
            given_keys(configuration, options),
            replace=options["replace"],
        )
        manifest = restored.manifest
        for path in restored.saved:
            self.stdout.write(f"As it was: {path}")
        self.stdout.write(
            f"Restored {file} of {manifest.taken} (version {manifest.version}): "
            f"{sum(manifest.counts.values())} rows, {manifest.blobs} files"
        )
        if manifest.missing:
            self.stderr.write(
                f"Warning: {manifest.missing} files had no bytes when the archive was "
                f"made, first {manifest.missing_files[0]}."
            )
        if restored.missing_apps:
            names = ", ".join(restored.missing_apps)
            self.stderr.write(f"Warning: add these apps (Platform:Apps): {names}.")
        if manifest.secrets:
            self.stdout.write(
                f"Not in the archive, set them again: {', '.join(manifest.secrets)}"
            )
        # A key of the settings signs instead of the one in the file.
        is_used = not configuration.settings.text("JwtOptions:Secret")
        if restored.has_other_key and is_used:
            self.stdout.write(
                "The signing key is that of the archive: later sign-ins end, and sessions "
                "and tokens that it has signed count again. If it was replaced because "
                "somebody else may know it, run rotate_key --forget-old before you "
                "start the server."
            )
        self._say_what_to_start()

    def _say_what_to_start(self) -> None:
        self.stdout.write(
            "Start the version the backup is from; a newer one migrates it first."
        )


def _written_at(file: Path) -> str:
    """Return when a copy of the database was written."""
    moment = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return moment.isoformat(timespec="seconds")
