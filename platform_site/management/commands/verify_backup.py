"""`manage.py verify_backup FILE`: restores an archive into a temporary place and checks
it, without touching the installation."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from importer.commands import FAILED, VisibleCommand
from platform_site.settings.configuration import active
from platform_site.site.archives.checking import check_archive
from platform_site.site.archives.command_keys import add_key_arguments, given_keys
from platform_site.site.archives.errors import ArchiveError
from platform_site.site.archives.reading import is_archive


class Command(VisibleCommand):
    """The command that checks an archive by restoring it elsewhere."""

    help = "Checks an archive by restoring it into a temporary place."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the archive and its key."""
        parser.add_argument("file", type=Path, help="an archive")
        add_key_arguments(parser)

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Check the archive; print what is in it, what is wrong, and what wasn't
        checked."""
        configuration, file = active(), options["file"]
        if not is_archive(file):
            raise ArchiveError(f"{file} isn't an archive.")
        keys = given_keys(configuration, options)
        outcome = check_archive(configuration, file, keys)
        for text in outcome.unchecked:
            self.stderr.write(f"Not checked: {text}")
        if outcome.problems:
            raise CommandError("\n".join(outcome.problems), returncode=FAILED)
        if not outcome.rows:
            raise CommandError(
                f"Nothing in {file} was read, so nobody knows whether it can be "
                "restored. Give the key that opens it.",
                returncode=FAILED,
            )
        verdict = "is good"
        if outcome.unchecked:
            verdict = "is as it was written, but its database was not restored"
        self.stdout.write(
            f"{file} {verdict}: {outcome.rows} rows, {outcome.blobs} files, "
            f"{outcome.seconds:g} s"
        )
