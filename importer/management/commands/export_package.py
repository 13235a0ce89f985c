"""The command that exports rows as a package."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, BinaryIO

from django.core.checks import Tags
from django.core.management.base import CommandError
from django.db import DatabaseError

from importer import services
from importer.checks import RUNS
from importer.management.exit_codes import FAILED, WRONG_CALL
from importer.management.importing_user import reason_of
from importer.management.terminal import VisibleCommand
from importer.package.shapes import MAX_VERSION, Refusal

STDOUT = "-"
_EXIT = """exit codes: 0 the package is written; 1 it is not, since some rows can't be in a
package, which are printed with the reason, or since it couldn't be written; 2 the call is
wrong"""


class Command(VisibleCommand):
    """The command that exports rows in the foreground."""

    help = "Export rows of catalogs and documents as a package that can be imported."
    requires_system_checks = [RUNS, Tags.models]

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments."""
        parser.epilog = _EXIT
        parser.add_argument(
            "file", nargs="?", default=STDOUT, help="where to write; default: print"
        )
        parser.add_argument(
            "--dictionary",
            action="append",
            default=[],
            metavar="NAME",
            help="a catalog to export; may be repeated",
        )
        parser.add_argument(
            "--document",
            action="append",
            default=[],
            metavar="NAME",
            help="a kind of document to export; may be repeated",
        )
        parser.add_argument(
            "--where",
            action="append",
            default=[],
            metavar="FILTER",
            help="only rows that a filter of the list leaves, such as priceFrom=10, "
            "or Items.priceFrom=10 with several catalogs; may be repeated",
        )
        parser.add_argument(
            "--package",
            default="",
            metavar="NAME",
            help="the name of the package; default: made from what is exported",
        )
        parser.add_argument(
            "--package-version",
            type=int,
            default=1,
            metavar="NUMBER",
            help="the version of the package (1)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the package, and say on standard error what it has."""
        names = [*options["dictionary"], *options["document"]]
        version = options["package_version"]
        if not 0 < version <= MAX_VERSION:
            message = f"--package-version is a number from 1 to {MAX_VERSION}."
            raise CommandError(message, returncode=WRONG_CALL)
        where = options["where"]
        try:
            selections = services.selected(names, where)
            package = options["package"] or services.package_name(names, where)
            file, done = services.exported_file(
                selections, package=package, version=version
            )
        except services.NotExportable as refusal:
            for sentence in refusal.sentences():
                self.stderr.write(sentence)
            message = "Nothing was exported; correct these rows or leave them out."
            raise CommandError(message, returncode=FAILED) from None
        except Refusal as refusal:
            message = " ".join(problem.message for problem in refusal.problems)
            raise CommandError(message, returncode=WRONG_CALL) from None
        except (DatabaseError, OSError) as error:
            message = f"Nothing was exported: {reason_of(error)}."
            raise CommandError(message, returncode=FAILED) from None
        with file:
            self._put(file, options["file"])
        if options["verbosity"]:
            self._say(done, options["file"])

    def _put(self, file: BinaryIO, name: str) -> None:
        """Write the package to a file or to standard output."""
        try:
            if name == STDOUT:
                _print(file, self.stdout._out)
            else:
                _write(file, Path(name))
        except OSError as error:
            message = f"{name} cannot be written: {reason_of(error)}."
            raise CommandError(message, returncode=FAILED) from None

    def _say(self, done: services.Exported, name: str) -> None:
        counts = ", ".join(f"{number:,} {each}" for each, number in done.counts.items())
        where = "" if name == STDOUT else f" → {name}"
        self.stderr.write(f"{done.package}: {counts}{where}")
        if done.changed:
            self.stderr.write(
                f"{done.changed:,} of these rows have changed since {done.package} was "
                "imported here, so an import here shows them as changed."
            )


def _write(file: BinaryIO, path: Path) -> None:
    """Write the package to a file, which is replaced as a whole."""
    if path.exists() and not path.is_file():  # a pipe or device
        with path.open("wb") as device:
            shutil.copyfileobj(file, device)
        return
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as whole:
            shutil.copyfileobj(file, whole)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the permissions that new files don't get."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _print(file: BinaryIO, output: Any) -> None:
    """Print the package, in UTF-8 whatever the terminal's encoding is."""
    binary = getattr(output, "buffer", None)
    if binary is None:
        shutil.copyfileobj(io.TextIOWrapper(file, encoding="utf-8"), output)
        return
    output.flush()
    shutil.copyfileobj(file, binary)
    binary.flush()
