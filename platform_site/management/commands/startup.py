"""`manage.py startup`: runs only the startup sequence, for other ways of serving, or tells
what it would do."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from platform_site.settings.configuration import Configuration, active
from platform_site.site.host.early_stop import StartStopped
from platform_site.site.host.startup import started

# `--check` found that a start would change something.
WORK_TO_DO: Final = 3
REFUSED: Final = 1


class Command(BaseCommand):
    """The startup sequence: data folder, key, database and accounts (OPEN-105)."""

    help = "Creates or updates the installation without serving it."
    # The checks would open the database before its folder exists.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--check",
            action="store_true",
            help="Only print what a start would do, and change nothing.",
        )

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Run the sequence and print the paths of the installation."""
        configuration = active()
        if options["check"]:
            self._check(configuration)
            return
        try:
            with started(configuration):
                self.stdout.write(f"Ready: {configuration.data_folder}")
        except StartStopped:
            message = (
                "Startup was stopped before it was complete; run it again to continue."
            )
            raise CommandError(message, returncode=1) from None

    def _check(self, configuration: Configuration) -> None:
        # A start needs none of it.
        from platform_site.site.host.start_preview import (  # noqa: PLC0415 - as said above
            preview_start,
        )

        found = preview_start(configuration)
        for fact in found.facts:
            self.stdout.write(fact)
        for title, lines in (
            ("A start would be refused:", found.refusals),
            ("A start would do this:", found.work),
            ("Warnings:", found.warnings),
        ):
            if lines:
                self.stdout.write(title)
            for line in lines:
                self.stdout.write(f"  - {line}")
        if found.refusals:
            sys.exit(REFUSED)
        if found.work:
            sys.exit(WORK_TO_DO)
        self.stdout.write("A start would change nothing.")
