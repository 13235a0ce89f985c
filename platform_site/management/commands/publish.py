"""`manage.py publish FOLDER`: makes the folder that is carried to a server."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from importer.commands import VisibleCommand
from platform_site.site.publishing.errors import CannotPublishError
from platform_site.site.publishing.folder import publish


class Command(VisibleCommand):
    """Publish; the data folder is neither read nor written."""

    help = "Makes a folder that runs the platform from any place."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the folder to make."""
        parser.add_argument("folder", type=Path, help="a new or empty folder")

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Make the folder, and say how to start what is in it."""
        folder = options["folder"].absolute()
        try:
            publish(folder)
        except CannotPublishError as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"Published: {folder}")
        self.stdout.write(f"Start it with: {folder / 'platform'}")
