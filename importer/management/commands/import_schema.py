"""The command that prints or writes the JSON Schema of packages (OPEN-58)."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from importer.management.terminal import VisibleCommand
from importer.services import package_schema


class Command(VisibleCommand):
    """The command that writes the schema to a file or to standard output."""

    help = "Write the JSON Schema of import packages, for editors that complete keys."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the argument for the output file."""
        parser.add_argument("file", nargs="?", help="where to write; default: print")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the schema."""
        text = json.dumps(package_schema(), indent=2, ensure_ascii=False)
        if not options["file"]:
            self.stdout.write(text)
            return
        try:
            Path(options["file"]).write_text(f"{text}\n", encoding="utf-8")
        except OSError as error:
            reason = error.strerror or str(error)
            raise CommandError(
                f"{options['file']} cannot be written: {reason}."
            ) from None
