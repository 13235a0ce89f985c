"""The command that runs a package and reports the outcomes."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from importer import services
from importer.management.heading import heading, plan_heading
from importer.management.importing_user import user_named
from importer.management.output_options import (
    TEXT,
    OutputOptions,
    output_options,
    wrong_call,
)
from importer.management.package_source import (
    STANDARD_INPUT,
    PackageSource,
    opened_package,
)
from importer.management.report_file import (
    STANDARD_OUTPUT,
    ReportFile,
    opened_report,
)
from importer.management.report_output import write_json
from importer.management.run_command import RunCommand, refusals_as_errors
from importer.management.terminal import VisibleOutput
from importer.models import ImportRun
from importer.package.shapes import Outcome
from importer.package.time_zones import named_zone
from importer.services import ImportOptions, Report

_EXIT = """exit codes: 0 the run ended without errors; 1 it ended with errors, which are
printed with their places; 2 the call is wrong; 75 another import is in progress; 78 a
setting is wrong"""


class Command(RunCommand):
    """The command that imports a package in the foreground."""

    help = (
        "Import a package: a file, the identifier of an embedded package, or - for "
        "standard input."
    )
    outcomes = Outcome

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the package and the options (OPEN-66)."""
        parser.epilog = _EXIT
        parser.add_argument(
            "package",
            nargs="*",
            help="file, identifier of an embedded package, or - for standard input",
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
            "--time-zone", default="", help="time zone of $today, as an IANA name"
        )
        parser.add_argument(
            "--report",
            metavar="FILE",
            help="write the whole report to a file, as JSON; with - to standard output, "
            "and everything else to standard error",
        )
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the package and exit with the code of OPEN-66."""
        package = _package(options)
        output = self._output(options)
        user = user_named(options["user"])
        how = ImportOptions(
            dry_run=options["dry_run"],
            continue_on_error=options["continue_on_error"],
            time_zone=options["time_zone"],
            started_via=ImportRun.StartedVia.COMMAND,
        )
        call = _Call(self, options, output, user, how)
        if package is None:
            with opened_report(options["report"], "") as file:
                call.carry_out_plan(file)
            return
        if how.time_zone:
            with refusals_as_errors():
                named_zone(how.time_zone)
        with (
            opened_report(options["report"], package) as file,
            opened_package(package) as source,
        ):
            call.import_package(source, file)

    def _output(self, options: dict[str, Any]) -> OutputOptions:
        output = output_options(
            options, self.outcomes, on_terminal=self.is_on_terminal()
        )
        if options["report"] == STANDARD_OUTPUT and output.form != TEXT:
            raise wrong_call(
                "Both --report - and --format write to standard output; leave out one "
                "of them."
            )
        return output


class _Call:
    """One call of the command: its options, and the streams for its output."""

    def __init__(
        self,
        command: RunCommand,
        options: dict[str, Any],
        output: OutputOptions,
        user: Any,
        how: ImportOptions,
    ) -> None:
        self._command = command
        self._options = options
        self._output = output
        self._user = user
        self._how = how
        self._prints_report = options["report"] == STANDARD_OUTPUT
        stdout: Any = command.stdout
        self._out: VisibleOutput = command.messages() if self._prints_report else stdout

    def import_package(self, source: PackageSource, file: ReportFile | None) -> None:
        """Import a package."""
        self._say(
            heading(
                source.stream,
                Path(source.name).name,
                user=self._user,
                time_zone=self._how.time_zone,
                dry_run=self._how.dry_run,
            )
        )
        run = partial(
            services.import_package, source.stream, self._how, user=self._user
        )
        self._run(run, file, source.name)

    def carry_out_plan(self, file: ReportFile | None) -> None:
        """Import what a dry run has planned."""
        with refusals_as_errors():
            run_id = services.identifier_of(self._options["plan"])
            planned = services.planned_run(run_id, self._how)
        self._say(plan_heading(planned, self._user))
        run = partial(services.import_plan, run_id, self._how, user=self._user)
        self._run(run, file, planned.package)

    def _say(self, line: str) -> None:
        if self._output.form == TEXT and not self._output.quiet:
            self._out.write(f"{line}\n")
            self._out.flush()

    def _run(self, run: partial[Report], file: ReportFile | None, name: str) -> None:
        command, where = self._command, self._options["report"]
        report, seconds = command.carry_out(
            run, self._output, self._options["verbosity"]
        )
        failure = "" if file is None else file.write(report)
        if failure:
            command.stderr.write(f"The report could not be written: {failure}.")
        if self._prints_report:
            write_json(report, tuple(Outcome), command.stdout)
        command.print_report(
            report,
            self._output,
            self._out,
            seconds=seconds,
            report_file="the output" if self._prints_report else where,
            package_file=name,
        )
        command.end(report, written=not failure)


def _package(options: dict[str, Any]) -> str | None:
    """Return the package to import, None for a plan; refuse what doesn't go together."""
    packages, plan = options["package"], options["plan"]
    if isinstance(packages, str):  # from a call in Python
        packages = [packages]
    packages = list(packages or ())
    if len(packages) > 1:
        reason = "Import one package at a time."
        if packages.count(STANDARD_INPUT) > 1:
            reason = "Standard input can be read only once; write - once."
        raise wrong_call(reason)
    if bool(packages) == (plan is not None):
        raise wrong_call("Name a package, or a dry run with --plan, and not both.")
    if plan is not None and (options["dry_run"] or options["time_zone"]):
        raise wrong_call(
            "A plan has its own dates; leave out --dry-run and --time-zone."
        )
    return packages[0] if packages else None
