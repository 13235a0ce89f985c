"""The command that undoes a run."""

from __future__ import annotations

import sys
import threading
import time
from argparse import ArgumentParser
from typing import Any

from django.core.checks import Tags
from django.core.management.base import CommandError
from django.db import DatabaseError

from importer import services, undoing
from importer.checks import RUNS
from importer.management.exit_codes import BUSY, FAILED, WRONG_CALL
from importer.management.importing_user import reason_of, user_named
from importer.management.progress import ProgressLine
from importer.management.stopping import stopping
from importer.management.summary import print_rows, print_summary, report_as_json
from importer.management.terminal import VisibleCommand
from importer.models import ImportRun
from importer.package.undo_results import UndoOutcome
from importer.services import ImportInProgress, ImportOptions, LockUnusable, UnknownRun
from importer.undoing import NotUndoable

_EXIT = """exit codes: 0 the run is undone, except for rows that somebody changed since;
1 rows are blocked, which are printed with the reason, or the undo ended early; 2 the call
is wrong, or the run can't be undone; 75 another run is in progress; 78 a setting is
wrong"""


class Command(VisibleCommand):
    """The command that undoes a run in the foreground."""

    help = "Undo a run: revert the rows that it wrote and nobody has changed since."
    requires_system_checks = [RUNS, Tags.models]

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments."""
        parser.epilog = _EXIT
        parser.add_argument("run", help="identifier of the run, as in its report")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="show what an undo would do, write nothing",
        )
        parser.add_argument(
            "--user", default="admin", help="the user who undoes the run (admin)"
        )
        parser.add_argument(
            "--format",
            choices=("text", "json"),
            default="text",
            help="the format of the output",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Undo the run and exit with its code."""
        user = user_named(options["user"])
        began = time.monotonic()
        report = self._undo(options, user)
        seconds = time.monotonic() - began
        if options["format"] == "json":
            report_as_json(report, self.stdout)
        else:
            print_rows(report, UndoOutcome.BLOCKED, self.stdout)
            print_summary(report, self.stdout, report_file=None, seconds=seconds)
        if report.has_errors or report.status != "Completed":
            sys.exit(FAILED)

    def _undo(self, options: dict[str, Any], user: Any) -> services.Report:
        how = ImportOptions(
            dry_run=options["dry_run"], started_via=ImportRun.StartedVia.COMMAND
        )
        stop = threading.Event()
        quiet = options["verbosity"] == 0
        with ProgressLine(sys.stderr, quiet=quiet) as progress, stopping(stop.set):
            try:
                run_id = services.identifier_of(options["run"])
                return undoing.undo_run(
                    run_id, how, user=user, cancellation=stop, progress=progress
                )
            except ImportInProgress as busy:
                raise CommandError(str(busy), returncode=BUSY) from None
            except (UnknownRun, NotUndoable, LockUnusable) as refusal:
                raise CommandError(str(refusal), returncode=WRONG_CALL) from None
            except DatabaseError as error:
                message = f"The database failed: {reason_of(error)}."
                raise CommandError(message, returncode=FAILED) from None
