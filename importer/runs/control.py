"""The control of runs in all processes: stop them, end those that died, and delete what
is no longer kept."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from importer.models import ImportRun
from importer.runs import (
    background,
    kept_packages,
    package_uploads,
    proposals,
    queueing,
    reading,
)
from importer.runs.background import start_queued_runs
from importer.runs.dead_runs import end_dead_runs
from importer.runs.dry_runs import remove_old_dry_runs
from importer.runs.readers import UnknownRun
from importer.runs.running import NotRunning


def cancel_run(run_id: UUID) -> None:
    """Ask a run in any process to stop between two objects.

    The run notices it within about a second; a queued run ends at once. Raise
    UnknownRun, or NotRunning for a run that has ended or whose process has died.
    """
    end_what_died()
    run = reading.find_run(run_id)
    if run is None:
        raise UnknownRun(run_id)
    if run.status == ImportRun.Status.QUEUED and queueing.cancel(run_id):
        return
    in_progress = ImportRun.objects.filter(pk=run_id, status=ImportRun.Status.RUNNING)
    if run.has_ended or not in_progress.update(stop_requested_at=timezone.now()):
        raise NotRunning(_("The run %(run)s has already ended.") % {"run": run_id})


def stop_runs(*, wait_seconds: float = 0) -> None:
    """Stop the runs of this process and prevent new ones, before the process ends.

    Each stops between two objects and ends as Interrupted; running the package again
    continues it.
    """
    background.engine().shutdown(wait_seconds)


def end_what_died() -> None:
    """Mark the runs of dead processes as interrupted, and start a queued run if it is
    its turn."""
    end_dead_runs()
    start_queued_runs()


def remove_expired() -> None:
    """Delete expired dry runs, uploads, packages and proposals, as regular
    housekeeping."""
    remove_old_dry_runs()
    proposals.remove_old()
    kept_packages.remove_old()
    # Last, because the storage of uploads may fail.
    package_uploads.remove_old()
