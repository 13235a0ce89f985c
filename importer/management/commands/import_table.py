"""The command that imports a table, or writes the package that it makes."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.core.checks import Tags
from django.core.management.base import CommandError
from django.db import DatabaseError

from importer import conf, services
from importer.checks import RUNS
from importer.management.exit_codes import BUSY, FAILED, WRONG_CALL
from importer.management.importing_user import reason_of, user_named
from importer.management.progress import ProgressLine
from importer.management.stopping import stopping
from importer.management.summary import print_summary
from importer.management.table_source import (
    add_source_argument,
    chosen_source,
    started_via,
)
from importer.management.terminal import VisibleCommand
from importer.package.json_values import explain_json_error
from importer.runs.options import ImportedTable, zone_for
from importer.services import (
    ImportInProgress,
    ImportOptions,
    LockUnusable,
    UnknownTimeZone,
)
from importer.tables.description import TableDescription
from importer.tables.description_check import DescriptionRefused
from importer.tables.errors import TableError
from importer.tables.failed_rows import failed_rows, failures_by_line
from importer.tables.packages import (
    UnknownTarget,
    package_of,
    propose_table,
    table_description,
    write_package,
)
from importer.tables.sources import description_of_source

_EXIT = """exit codes: 0 the run ended without errors; 1 it ended with errors, which are
printed with line and column; 2 the call, the table or the map is wrong; 75 another
import is in progress; 78 a setting is wrong"""
_STDIN = "-"
_IN_MEMORY = 1 << 23


class Command(VisibleCommand):
    """The command that imports a table in the foreground."""

    help = "Import a CSV or XLSX file. Rows that are wrong fail alone."
    requires_system_checks = [RUNS, Tags.models]

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the table, its description and the options."""
        parser.epilog = _EXIT
        parser.add_argument("table", help="the file; - is the standard input")
        parser.add_argument(
            "--target",
            default="",
            help="catalog or kind of document; needed unless the map names it",
        )
        add_source_argument(parser)
        parser.add_argument(
            "--map",
            metavar="FILE",
            help="the description of the table, as JSON; without it the columns are "
            "recognised by their names",
        )
        parser.add_argument(
            "--save-map",
            metavar="FILE",
            help="write the description that is used, to change it for the next time",
        )
        parser.add_argument(
            "--to-package",
            metavar="FILE",
            help="write the package that the table makes, and import nothing",
        )
        parser.add_argument(
            "--failed",
            metavar="FILE",
            help="write the rows that failed, with a column that says why",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="plan everything, write nothing"
        )
        parser.add_argument(
            "--user", default="admin", help="the user who runs the import (admin)"
        )
        parser.add_argument(
            "--time-zone", default="", help="time zone of times, as an IANA name"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the table and exit with a code as ``import_package`` does."""
        user = user_named(options["user"])
        try:
            with _opened(options["table"]) as table:
                description = self._description(table, options)
                if options["save_map"]:
                    _save(options["save_map"], description)
                if options["to_package"]:
                    self._write(table, description, options)
                    return
                report = self._import(table, description, user, options)
                if options["failed"]:
                    self._write_failed(table, description, report, options["failed"])
        except (TableError, UnknownTarget, UnknownTimeZone) as refusal:
            raise CommandError(str(refusal), returncode=WRONG_CALL) from None
        except DescriptionRefused as refusal:
            lines = "\n".join(f"  {at}: {said}" for at, said in refusal.errors.items())
            message = f"The description of the table is wrong:\n{lines}"
            raise CommandError(message, returncode=WRONG_CALL) from None
        if report.has_errors or report.status != "Completed":
            sys.exit(FAILED)

    def _description(
        self, table: BinaryIO, options: dict[str, Any]
    ) -> TableDescription:
        if source := chosen_source(options):
            return description_of_source(source)
        if options["map"]:
            return table_description(_json(options["map"]), options["target"])
        proposal = propose_table(table, options["target"])
        description = proposal.description
        for column in description.columns:
            value = column.column or f"always {json.dumps(column.default)}"
            self.stdout.write(f"  {column.property:<24} {value}\n")
        if proposal.missing or not description.key:
            listed = ", ".join(proposal.missing or ("the key",))
            headers = ", ".join(proposal.headers)
            raise CommandError(
                f"No column was recognised for: {listed}. The table has: {headers}. "
                "Describe the columns in a file and name it with --map; --save-map "
                "writes one to begin with.",
                returncode=WRONG_CALL,
            )
        return description

    def _write(
        self, table: BinaryIO, description: TableDescription, options: dict[str, Any]
    ) -> None:
        zone = zone_for(ImportOptions(time_zone=options["time_zone"]), None)
        with _written(options["to_package"]) as out:
            write_package(table, description, out, zone=zone)

    def _write_failed(
        self,
        table: BinaryIO,
        description: TableDescription,
        report: services.Report,
        name: str,
    ) -> None:
        failures = failures_by_line(report.items)
        if not failures:
            return
        with _written(name) as out:
            out.writelines(failed_rows(table, description, failures))
        self.stdout.write(f"The rows that failed are in {name}.\n")

    def _import(
        self,
        table: BinaryIO,
        description: TableDescription,
        user: Any,
        options: dict[str, Any],
    ) -> services.Report:
        run = ImportOptions(
            dry_run=options["dry_run"],
            continue_on_error=True,
            time_zone=options["time_zone"],
            started_via=started_via(chosen_source(options)),
        )
        name, into = Path(options["table"]).name, conf.configuration()
        kind = "Dry run: " if run.dry_run else ""
        who = user.get_username()
        self.stdout.write(f"{kind}{name} → {description.target} of {into}, as {who}\n")
        self.stdout.flush()
        began, stop = time.monotonic(), threading.Event()
        quiet = options["verbosity"] == 0
        with (
            package_of(table, description, zone=zone_for(run, user)) as package,
            ProgressLine(sys.stderr, quiet=quiet) as progress,
            stopping(stop.set),
        ):
            kept = ImportedTable(table, description.wire())
            watched = {"cancellation": stop, "progress": progress, "table": kept}
            report = _run(package, run, user, watched)
        seconds = time.monotonic() - began
        print_summary(report, self.stdout, report_file=None, seconds=seconds)
        return report


def _run(
    package: BinaryIO, run: ImportOptions, user: Any, watched: dict[str, Any]
) -> services.Report:
    try:
        return services.import_package(package, run, user=user, **watched)
    except ImportInProgress as busy:
        raise CommandError(str(busy), returncode=BUSY) from None
    except LockUnusable as refusal:
        raise CommandError(str(refusal), returncode=WRONG_CALL) from None
    except (DatabaseError, OSError) as error:
        raise CommandError(f"Failed: {reason_of(error)}.", returncode=FAILED) from None


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == _STDIN:
        folder = conf.setting("TEMP_FOLDER")
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, dir=folder) as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            yield cast("BinaryIO", copy)
        return
    path = Path(name)
    try:
        file = path.open("rb")
    except OSError as error:
        message = f"{name} cannot be read: {reason_of(error)}."
        raise CommandError(message, returncode=WRONG_CALL) from None
    with file:
        yield file


def _json(name: str) -> Any:
    try:
        return json.loads(Path(name).read_text("utf-8-sig"))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        message = f"{name}: {place}: {explain_json_error(error)}."
    except (OSError, UnicodeError) as error:
        message = f"{name} cannot be read: {reason_of(error)}."
    raise CommandError(message, returncode=WRONG_CALL)


def _save(name: str, description: TableDescription) -> None:
    text = json.dumps(description.wire(), ensure_ascii=False, indent=2)
    with _written(name) as out:
        out.write(f"{text}\n".encode())


@contextmanager
def _written(name: str) -> Iterator[BinaryIO]:
    try:
        with Path(name).open("wb") as out:
            yield out
    except OSError as error:
        message = f"{name} cannot be written: {reason_of(error)}."
        raise CommandError(message, returncode=FAILED) from None
