"""One call of a command that imports: where its output goes, and its report."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

import msgspec

from importer.management.output_options import TEXT, OutputOptions
from importer.management.report_file import STANDARD_OUTPUT, ReportFile
from importer.management.report_output import write_json
from importer.management.run_command import RunCommand
from importer.management.terminal import VisibleOutput
from importer.package.shapes import Outcome
from importer.services import Report


class DoneRun(msgspec.Struct, frozen=True):
    """The report of a run, and whether everything that was asked for is written."""

    report: Report
    is_written: bool


def add_report_argument(parser: ArgumentParser) -> None:
    """Add the argument for the file of the report."""
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="write the whole report to a file, as JSON; with - to standard output, "
        "and everything else to standard error",
    )


class RunCall:
    """One call: its options, and the streams for its output.

    With ``data_on_output``, standard output is for what the call writes there.
    """

    def __init__(
        self,
        command: RunCommand,
        options: dict[str, Any],
        output: OutputOptions,
        *,
        data_on_output: bool = False,
    ) -> None:
        self._command = command
        self._output = output
        self._verbosity = options["verbosity"]
        self._where = options["report"]
        self._prints_report = self._where == STANDARD_OUTPUT
        is_taken = self._prints_report or data_on_output
        stdout: Any = command.stdout
        self._out: VisibleOutput = command.messages() if is_taken else stdout

    def say(self, line: str) -> None:
        """Print a line for people."""
        if self._output.form == TEXT and not self._output.quiet:
            self._out.write(f"{line}\n")
            self._out.flush()

    def carry_out(
        self, run: Callable[..., Report], file: ReportFile | None, name: str
    ) -> DoneRun:
        """Carry out a run, and write its report; ``name`` is that of its source."""
        command = self._command
        report, seconds = command.carry_out(run, self._output, self._verbosity)
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
            report_file="the output" if self._prints_report else self._where,
            package_file=name,
        )
        return DoneRun(report, is_written=not failure)

    def end(self, done: DoneRun) -> None:
        """Exit with the code of a run, if it has errors or isn't complete."""
        self._command.end(done.report, written=done.is_written)
