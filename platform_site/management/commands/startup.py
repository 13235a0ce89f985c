"""`manage.py startup`: runs only the startup sequence, for other ways of serving."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from platform_site.settings.configuration import active
from platform_site.site.host.early_stop import StartStopped
from platform_site.site.host.startup import started


class Command(BaseCommand):
    """The startup sequence: data folder, key, database and accounts (OPEN-105)."""

    help = "Creates or updates the installation without serving it."
    # The checks would open the database before its folder exists.
    requires_system_checks = []

    def handle(self, *_arguments: Any, **_options: Any) -> None:
        """Run the sequence and print the paths of the installation."""
        configuration = active()
        try:
            with started(configuration):
                self.stdout.write(f"Ready: {configuration.data_folder}")
        except StartStopped:
            message = (
                "Startup was stopped before it was complete; run it again to continue."
            )
            raise CommandError(message, returncode=1) from None
