"""What the commands that carry out a run in the foreground have in common."""

from __future__ import annotations

import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from django.core.checks import Tags
from django.core.management.base import CommandError, SystemCheckError
from django.db import DatabaseError

from importer import services
from importer.checks import RUNS
from importer.management.exit_codes import BUSY, FAILED, WRONG_CALL, WRONG_SETTINGS
from importer.management.importing_user import reason_of
from importer.management.listing import print_entries
from importer.management.output_options import (
    JSON,
    TEXT,
    Outcomes,
    OutputOptions,
    add_output_arguments,
    output_options,
    wrong_call,
)
from importer.management.progress import ProgressLine
from importer.management.report_file import STANDARD_OUTPUT
from importer.management.report_output import write_json, write_json_lines
from importer.management.stopping import stopping
from importer.management.summary import ending, print_errors, print_summary
from importer.management.terminal import VisibleCommand, VisibleOutput
from importer.services import (
    ImportInProgress,
    LockUnusable,
    NoPlan,
    NotUndoable,
    Report,
    UnknownRun,
    UnknownTimeZone,
)

_REFUSALS = (LockUnusable, UnknownTimeZone, UnknownRun, NoPlan, NotUndoable)


class RunCommand(VisibleCommand):
    """A command that carries out one run and prints its report."""

    # All checks would load every page and API of the project, which no run serves.
    requires_system_checks = [RUNS, Tags.models]
    outcomes: ClassVar[Outcomes]

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments for the user and the output."""
        parser.add_argument(
            "--user", default="admin", help="the user who starts the run (admin)"
        )
        add_output_arguments(parser, self.outcomes)

    def check(self, *args: Any, **options: Any) -> None:
        """Run the system checks; an error in the settings has its own exit code."""
        try:
            super().check(*args, **options)
        except SystemCheckError as refusal:
            refusal.returncode = WRONG_SETTINGS
            raise

    def carry_out(
        self, run: Callable[..., Report], output: OutputOptions, verbosity: int
    ) -> tuple[Report, float]:
        """Carry out a run with progress and signals; return report and duration.

        What prevents the run is a CommandError with its exit code.
        """
        began, stop = time.monotonic(), threading.Event()
        quiet = output.quiet or verbosity == 0
        with (
            ProgressLine(sys.stderr, quiet=quiet) as progress,
            stopping(stop.set),
            refusals_as_errors(),
        ):
            report = run(cancellation=stop, progress=progress)
        return report, time.monotonic() - began

    def print_report(
        self,
        report: Report,
        output: OutputOptions,
        out: VisibleOutput,
        *,
        seconds: float,
        report_file: str | None = None,
        package_file: str = "",
    ) -> None:
        """Print the report in the form that the options ask for."""
        if output.quiet:
            files = {"report_file": report_file, "package_file": package_file}
            self.print_only_errors(report, self.messages(), **files)
        elif output.form == TEXT:
            print_entries(report.items, output.listed, out, file=package_file)
            print_summary(
                report,
                out,
                report_file=report_file,
                seconds=seconds,
                package_file=package_file,
            )
        else:
            write = write_json if output.form == JSON else write_json_lines
            write(report, output.listed, out)

    def print_only_errors(
        self, report: Report, out: VisibleOutput, **files: Any
    ) -> None:
        """Print the errors, and that a run did not reach its end."""
        print_errors(report, out, **files)
        if report.status != "Completed":
            out.write(f"{ending(report)}\n")

    def messages(self) -> VisibleOutput:
        """Return the error stream, without the colour of refusals."""
        out: Any = self.stderr._out
        return VisibleOutput(out)

    def output(self, options: dict[str, Any]) -> OutputOptions:
        """Return the options for the output; refuse what doesn't go together."""
        terminal = bool(self.stdout.isatty())
        output = output_options(options, self.outcomes, on_terminal=terminal)
        if options.get("report") == STANDARD_OUTPUT and output.form != TEXT:
            raise wrong_call(
                "Both --report - and --format write to standard output; leave out one "
                "of them."
            )
        return output

    def end(self, report: Report, *, written: bool = True) -> None:
        """Exit with the code of a report, if it has errors or isn't complete."""
        if report.has_errors or report.status != "Completed" or not written:
            self.stdout.flush()
            sys.exit(FAILED)


@contextmanager
def refusals_as_errors() -> Iterator[None]:
    """Turn what prevents a run into a sentence with an exit code."""
    try:
        yield
    except ImportInProgress as busy:
        raise CommandError(str(busy), returncode=BUSY) from None
    except _REFUSALS as refusal:
        raise CommandError(str(refusal), returncode=WRONG_CALL) from None
    except (DatabaseError, OSError) as error:
        raise CommandError(_failed(error), returncode=FAILED) from None


def _failed(error: Exception) -> str:
    if services.is_out_of_space(error):
        return "Nothing was done: the disk is full."
    what = "The database" if isinstance(error, DatabaseError) else "A file"
    return f"{what} failed: {reason_of(error)}."
