"""`manage.py clean_files`: reports unused uploaded files, and deletes them with
`--delete`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from importer.commands import VisibleCommand
from platform_site.files.cleaning import Leftovers, find_leftovers, remove_leftovers


class Command(VisibleCommand):
    """The command that reports unused files; `--delete` deletes them."""

    help = (
        "Lists uploaded files that nothing refers to, files without an "
        "entry in the database, and remains of aborted uploads. "
        "Nothing is deleted unless --delete is given."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the argument to delete."""
        parser.add_argument(
            "--delete", action="store_true", help="delete what is found"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Report the files, and delete them if requested."""
        try:
            found = find_leftovers()
            self._report(found)
            if options["delete"]:
                remove_leftovers(found)
        except OSError as error:
            reason = str(error.strerror or error).rstrip(".")
            raise CommandError(f"Files cannot be cleaned: {reason}.") from None
        if not found:
            self.stdout.write("There is nothing to delete.")
        elif options["delete"]:
            self.stdout.write("All of them were deleted.")
        else:
            self.stdout.write("Nothing was deleted; use --delete to delete them.")

    def _report(self, found: Leftovers) -> None:
        for file in found.unused:
            self.stdout.write(
                f"unused     {file.pk}  {file.size:>12,} bytes  "
                f"{file.uploaded_at:%Y-%m-%d}  {file.name}"
            )
        for key in found.unknown:
            self.stdout.write(f"unknown    {key}  not in the database")
        for name in found.abandoned:
            self.stdout.write(f"abandoned  {name}  an upload that never ended")
        for file in found.missing:
            self.stdout.write(f"missing    {file.pk}  its bytes are gone  {file.name}")
