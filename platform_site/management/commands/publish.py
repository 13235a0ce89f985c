"""`manage.py publish FOLDER`: makes a folder to deploy on a server."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from importer.commands import VisibleCommand
from platform_site.site.publishing.errors import CannotPublishError
from platform_site.site.publishing.folder import publish


class Command(VisibleCommand):
    """The command that makes the folder; it neither reads nor writes the data
    folder."""

    help = "Creates a folder that runs the platform from any path."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the argument for the folder."""
        parser.add_argument("folder", type=Path, help="a new or empty folder")

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Make the folder and print how to start it."""
        folder = options["folder"].absolute()
        try:
            publish(folder)
        except CannotPublishError as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"Published: {folder}")
        self.stdout.write(f"Start it with: {folder / 'platform'}")
