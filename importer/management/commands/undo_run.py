"""The command that undoes a run."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from typing import Any

from importer import services
from importer.management.importing_user import user_named
from importer.management.listing import print_blocked
from importer.management.output_options import TEXT
from importer.management.run_command import RunCommand, refusals_as_errors
from importer.management.terminal import VisibleOutput
from importer.models import ImportRun
from importer.package.undo_results import UndoOutcome
from importer.services import ImportOptions, Report

_EXIT = """exit codes: 0 the run is undone, except for rows that somebody changed since;
1 rows are blocked, which are printed with the reason, or the undo ended early; 2 the call
is wrong, or the run can't be undone; 75 another run is in progress; 78 a setting is
wrong"""


class Command(RunCommand):
    """The command that undoes a run in the foreground."""

    help = "Undo a run: revert the rows that it wrote and nobody has changed since."
    outcomes = UndoOutcome

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments."""
        parser.epilog = _EXIT
        parser.add_argument("run", help="identifier of the run, as in its report")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="show what an undo would do, write nothing",
        )
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Undo the run and exit with its code."""
        output = self.output(options)
        user = user_named(options["user"])
        how = ImportOptions(
            dry_run=options["dry_run"], started_via=ImportRun.StartedVia.COMMAND
        )
        with refusals_as_errors():
            run_id = services.identifier_of(options["run"])
        undo = partial(services.undo_run, run_id, how, user=user)
        report, seconds = self.carry_out(undo, output, options["verbosity"])
        out: Any = self.stdout
        if output.form == TEXT and not output.quiet and not output.listed:
            print_blocked(report, out)
        self.print_report(report, output, out, seconds=seconds)
        self.end(report)

    def print_only_errors(
        self, report: Report, out: VisibleOutput, **files: Any
    ) -> None:
        """Print the blocked rows, too."""
        print_blocked(report, out)
        super().print_only_errors(report, out, **files)
