"""The command that imports a table, or writes the package that it makes."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.core.management.base import CommandError

from importer import conf, services
from importer.management.exit_codes import FAILED, WRONG_CALL
from importer.management.importing_user import reason_of, user_named
from importer.management.output_options import TEXT, OutputOptions, wrong_call
from importer.management.report_file import opened_report
from importer.management.run_call import DoneRun, RunCall, add_report_argument
from importer.management.run_command import RunCommand
from importer.management.table_source import (
    add_source_argument,
    chosen_source,
    started_via,
)
from importer.management.terminal import discard
from importer.package.json_values import explain_json_error
from importer.package.shapes import Outcome
from importer.runs.options import ImportedTable, zone_for
from importer.services import ImportOptions, UnknownTimeZone
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
_STANDARD = "-"
# What may be written to standard output, with -.
_FILES = ("save_map", "to_package", "failed", "report")
_IN_MEMORY = 1 << 23


class Command(RunCommand):
    """The command that imports a table in the foreground."""

    help = "Import a CSV or XLSX file. Rows that are wrong fail alone."
    outcomes = Outcome

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
            help="write the rows that failed, with a column that says why; - is the "
            "standard output, here and above",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="plan everything, write nothing"
        )
        parser.add_argument(
            "--time-zone", default="", help="time zone of times, as an IANA name"
        )
        add_report_argument(parser)
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the table and exit with a code as ``import_package`` does."""
        output = self.output(options)
        taken = _standard_output(options, output)
        call = RunCall(self, options, output, data_on_output=taken)
        user = user_named(options["user"])
        try:
            with _opened(options["table"]) as table:
                done = _TableCall(call, options, user).carry_out(table)
        except (TableError, UnknownTarget, UnknownTimeZone) as refusal:
            raise CommandError(str(refusal), returncode=WRONG_CALL) from None
        except DescriptionRefused as refusal:
            lines = "\n".join(f"  {at}: {said}" for at, said in refusal.errors.items())
            message = f"The description of the table is wrong:\n{lines}"
            raise CommandError(message, returncode=WRONG_CALL) from None
        if done is not None:
            call.end(done)


class _TableCall:
    """What one call does with its table."""

    def __init__(self, call: RunCall, options: dict[str, Any], user: Any) -> None:
        self._call = call
        self._options = options
        self._user = user

    def carry_out(self, table: BinaryIO) -> DoneRun | None:
        """Import the table, or write its package and return None."""
        options = self._options
        description = self._description(table)
        if options["save_map"]:
            _save(options["save_map"], description)
        if options["to_package"]:
            zone = zone_for(ImportOptions(time_zone=options["time_zone"]), None)
            with _written(options["to_package"]) as out:
                write_package(table, description, out, zone=zone)
            return None
        with opened_report(options["report"], options["table"]) as file:
            done = self._import(table, description, file)
        failures = failures_by_line(done.report.items)
        if options["failed"] and failures:
            with _written(options["failed"]) as out:
                out.writelines(failed_rows(table, description, failures))
            self._call.say(f"The rows that failed are in {options['failed']}.")
        return done

    def _description(self, table: BinaryIO) -> TableDescription:
        options = self._options
        if source := chosen_source(options):
            return description_of_source(source)
        if options["map"]:
            return table_description(_json(options["map"]), options["target"])
        proposal = propose_table(table, options["target"])
        description = proposal.description
        for column in description.columns:
            value = column.column or f"always {json.dumps(column.default)}"
            self._call.say(f"  {column.property:<24} {value}")
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

    def _import(
        self, table: BinaryIO, description: TableDescription, file: Any
    ) -> DoneRun:
        options, user = self._options, self._user
        how = ImportOptions(
            dry_run=options["dry_run"],
            continue_on_error=True,
            time_zone=options["time_zone"],
            started_via=started_via(chosen_source(options)),
        )
        name, into = Path(options["table"]).name, conf.configuration()
        kind = "Dry run: " if how.dry_run else ""
        who = user.get_username()
        self._call.say(f"{kind}{name} → {description.target} of {into}, as {who}")
        with package_of(table, description, zone=zone_for(how, user)) as package:
            kept = ImportedTable(table, description.wire())
            run = partial(services.import_package, package, how, user=user, table=kept)
            return self._call.carry_out(run, file, options["table"])


def _standard_output(options: dict[str, Any], output: OutputOptions) -> bool:
    """Return whether a file is written to standard output; refuse several."""
    names = [name for name in _FILES if options[name] == _STANDARD]
    given = [f"--{name.replace('_', '-')} -" for name in names]
    if output.form != TEXT:
        given.append(f"--format {output.form}")
    if len(given) > 1:
        sentence = f"Both {given[0]} and {given[1]} write to standard output"
        raise wrong_call(f"{sentence}; leave out one of them.")
    return bool(names)


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == _STANDARD:
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
    if name == _STANDARD:
        try:
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # the reader has left
            discard(sys.stdout)
        return
    try:
        with Path(name).open("wb") as out:
            yield out
    except OSError as error:
        message = f"{name} cannot be written: {reason_of(error)}."
        raise CommandError(message, returncode=FAILED) from None
