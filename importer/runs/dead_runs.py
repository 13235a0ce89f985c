"""The runs of dead processes, detected by the free import lock."""

from __future__ import annotations

from contextlib import suppress

from django.db import DatabaseError
from django.utils.translation import gettext_noop

from importer.runs import history, reading, running
from importer.runs.lock import ImportInProgress, LockUnusable, import_lock


def mark_interrupted_runs() -> int:
    """Mark the runs of dead processes and return their number; does nothing during a
    run."""
    try:
        with import_lock("the platform", gettext_noop("a check for interrupted runs")):
            return history.mark_interrupted()
    except ImportInProgress:
        return 0


def end_dead_runs() -> None:
    """Mark the runs of dead processes as interrupted.

    It queries nothing while this process itself carries out the run.
    """
    run = reading.running_run()
    if run and not running.is_running(run.run_id):
        with suppress(LockUnusable, DatabaseError):  # starting a run reports it
            mark_interrupted_runs()
