"""The command that runs a package and reports the outcomes."""

from __future__ import annotations

import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from django.core.checks import Tags
from django.core.management.base import CommandError
from django.db import DatabaseError

from importer import services
from importer.checks import RUNS
from importer.management.exit_codes import BUSY
from importer.management.heading import heading
from importer.management.importing_user import reason_of, user_named
from importer.management.progress import ProgressLine
from importer.management.stopping import stopping
from importer.management.summary import print_summary, report_as_json
from importer.management.terminal import VisibleCommand
from importer.models import ImportRun
from importer.services import (
    ImportInProgress,
    ImportOptions,
    LockUnusable,
    NoPlan,
    UnknownRun,
    UnknownTimeZone,
)
from importer.sources import package_meant

_EXIT = """exit codes: 0 the run ended without errors; 1 it ended with errors, which are
printed with their paths; 2 the call is wrong; 75 another import is in progress; 78 a
setting is wrong"""


class Command(VisibleCommand):
    """The command that imports a package in the foreground."""

    help = "Import a package: a file, or the identifier of an embedded package."
    # All checks would load every page and API of the project, which no import serves.
    requires_system_checks = [RUNS, Tags.models]

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the package and the options (OPEN-66)."""
        parser.epilog = _EXIT
        parser.add_argument(
            "package", nargs="?", help="file, or identifier of an embedded package"
        )
        parser.add_argument(
            "--plan",
            metavar="RUN",
            help="instead of a package: import exactly what this dry run has planned",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="plan everything, write nothing"
        )
        parser.add_argument(
            "--continue-on-error",
            action="store_true",
            help="import the valid objects even if others fail",
        )
        parser.add_argument(
            "--user", default="admin", help="the user who runs the import (admin)"
        )
        parser.add_argument(
            "--time-zone", default="", help="time zone of $today, as an IANA name"
        )
        parser.add_argument(
            "--report", help="write the whole report to a file, as JSON"
        )
        parser.add_argument(
            "--format",
            choices=("text", "json"),
            default="text",
            help="the format of the output",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the package and exit with the code of OPEN-66."""
        as_json = options["format"] == "json"
        _check(options)
        with self._source(options["package"]) as source, self._report(options) as file:
            user = user_named(options["user"])
            if not as_json:
                self._say_what(source, user, options)
            began = time.monotonic()
            report = self._import(source, user, options)
            seconds = time.monotonic() - began
            written = file is None or self._write(report, file, options["report"])
        if as_json:
            report_as_json(report, self.stdout)
        else:
            where = options["report"]
            print_summary(report, self.stdout, report_file=where, seconds=seconds)
        if report.has_errors or report.status != "Completed" or not written:
            sys.exit(1)

    def _say_what(
        self, source: BinaryIO | None, user: Any, options: dict[str, Any]
    ) -> None:
        if source is None:
            plan, who = options["plan"], user.get_username()
            self.stdout.write(f"Plan of the dry run {plan}, as {who}\n")
            return
        line = heading(
            source,
            Path(options["package"]).name,
            user=user,
            time_zone=options["time_zone"],
            dry_run=options["dry_run"],
        )
        self.stdout.write(f"{line}\n")
        self.stdout.flush()

    def _import(
        self, source: BinaryIO | None, user: Any, options: dict[str, Any]
    ) -> services.Report:
        run = ImportOptions(
            dry_run=options["dry_run"],
            continue_on_error=options["continue_on_error"],
            time_zone=options["time_zone"],
            started_via=ImportRun.StartedVia.COMMAND,
        )
        stop = threading.Event()
        quiet = options["verbosity"] == 0
        with ProgressLine(sys.stderr, quiet=quiet) as progress, stopping(stop.set):
            watched: Any = {"cancellation": stop, "progress": progress}
            try:
                if source is None:
                    plan = services.identifier_of(options["plan"])
                    return services.import_plan(plan, run, user=user, **watched)
                return services.import_package(source, run, user=user, **watched)
            except ImportInProgress as busy:
                raise CommandError(str(busy), returncode=BUSY) from None
            except (LockUnusable, UnknownTimeZone, UnknownRun, NoPlan) as refusal:
                raise CommandError(str(refusal), returncode=2) from None
            except (DatabaseError, OSError) as error:
                raise CommandError(_failed(error), returncode=1) from None

    def _write(self, report: services.Report, file: TextIO, name: str) -> bool:
        """Write the report to its file; report a failing disk."""
        try:
            if Path(name).is_file():  # not a pipe or device
                file.truncate(0)
            report_as_json(report, file)
            file.flush()
        except OSError as error:
            self.stderr.write(f"The report could not be written: {reason_of(error)}.")
            return False
        return True

    @staticmethod
    @contextmanager
    def _source(package: str | None) -> Iterator[BinaryIO | None]:
        """Open the package; None is that of a plan."""
        if package is None:
            yield None
            return
        path = Path(package)
        try:
            if path.is_dir() or not path.exists():
                embedded = services.embedded_package(package)
                if embedded is None:
                    message = f'"{package}" is neither a file nor an embedded package.'
                    message += package_meant(package)
                    raise CommandError(message, returncode=2)
                path = embedded.path
            source = path.open("rb")
        except OSError as error:
            message = f"{package} cannot be read: {reason_of(error)}."
            raise CommandError(message, returncode=2) from None
        with source:
            yield source

    @staticmethod
    @contextmanager
    def _report(options: dict[str, Any]) -> Iterator[TextIO | None]:
        """Open the report file first, so that a wrong name is noticed before the run.

        Its old content is kept until there is a new report.
        """
        if not options["report"]:
            yield None
            return
        path, package = Path(options["report"]), Path(options["package"] or "")
        try:
            if path.exists() and package.exists() and path.samefile(package):
                message = "The report would overwrite the package; name it otherwise."
                raise CommandError(message, returncode=2)
            file = path.open("a", encoding="utf-8")
        except OSError as error:
            message = f"{options['report']} cannot be written: {reason_of(error)}."
            raise CommandError(message, returncode=2) from None
        try:
            yield file
        finally:
            with suppress(OSError):  # reported already, when the report was written
                file.close()


def _check(options: dict[str, Any]) -> None:
    """Refuse what doesn't go together."""
    if (options["package"] is None) == (options["plan"] is None):
        message = "Name a package, or a dry run with --plan, and not both."
        raise CommandError(message, returncode=2)
    if options["plan"] is not None and (options["dry_run"] or options["time_zone"]):
        message = "A plan has its own dates; leave out --dry-run and --time-zone."
        raise CommandError(message, returncode=2)


def _failed(error: Exception) -> str:
    if services.is_out_of_space(error):
        return "Nothing was imported: the disk is full."
    what = "The database" if isinstance(error, DatabaseError) else "A file"
    return f"{what} failed: {reason_of(error)}."
