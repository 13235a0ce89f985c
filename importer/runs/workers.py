"""Runs that are carried out by workers, in whichever process has a free one.

The queue stays what every process sees of it (``queueing``). For each run in it there is
a job of a task queue, which brings the run to a worker, once more if its process dies.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Collection
from contextlib import closing
from uuid import UUID, uuid4

import msgspec
from django.db import Error, transaction
from django.utils import timezone

from importer import conf
from importer.models import ImportRun, PackagePiece, QueuedRun
from importer.runs import dead_runs, queueing, reading, running
from importer.runs.background import ThreadEngine
from importer.runs.execution import execute
from importer.runs.failures import unexpected
from importer.runs.history import NotQueued
from importer.runs.lock import (
    DRY_RUN,
    IMPORT,
    ImportInProgress,
    LockUnusable,
    break_lock,
    import_lock,
)
from importer.runs.options import RunOrder
from importer.runs.pausing import pause_reason
from importer.runs.running import EnginePaused, EngineStopped

logger = logging.getLogger("platform.importer")
Status = ImportRun.Status
# A run that ends its process each time must not end all of them.
MOST_ATTEMPTS = 5
_SECONDS_TO_BEGIN = 5.0
_BETWEEN_LOOKS = 0.03


class RunJob(msgspec.Struct, frozen=True):
    """What a job has to know of its run: what the history doesn't have."""

    run_id: UUID
    attempt: int = 1
    language: str = ""
    default_policies: bool = False
    window: int = 0


class TryLater(Exception):
    """The end of a job that is to be done again, here or by another worker."""


class WorkerEngine(ABC):
    """An engine for several processes: workers carry out the runs.

    What can't be stored with a place of the queue, an undo and a decision about single
    rows, runs in a thread of this process.
    """

    def __init__(self) -> None:
        self._threads = ThreadEngine()

    @abstractmethod
    def defer(self, job: RunJob) -> None:
        """Have a worker call ``carry_out`` with a job.

        It is called in the transaction that stores the run.
        """

    @abstractmethod
    def deferred(self) -> Collection[UUID]:
        """Return the runs for which there are jobs that wait or are being done."""

    def start(self, order: RunOrder) -> None:
        """Hand a run to a worker; raise ImportInProgress if it can't begin now."""
        if order.chosen is not None or order.kind == ImportRun.Kind.UNDO:
            self._threads.start(order)
            return
        what = DRY_RUN if order.options.dry_run else IMPORT
        try:
            if reason := pause_reason():
                raise EnginePaused(reason)
            dead_runs.end_dead_runs()
            # While it is held, no other run can begin.
            with import_lock(order.user.get_username(), what):
                self.enqueue(order)
        except BaseException:
            order.close()
            raise
        self._wait_for_begin(order.run_id)

    def enqueue(self, order: RunOrder) -> None:
        """Store a run at the end of the queue, with its job."""
        queueing.enqueue(order, lambda place: self.defer(_job_of(place)))

    def start_queued(self) -> None:
        """Give jobs to queued runs that have none, such as those of another engine."""
        with transaction.atomic():
            places = list(QueuedRun.objects.select_for_update())
            known = self.deferred() if places else ()
            for place in places:
                if place.run_id not in known:
                    self.defer(_job_of(place))

    def shutdown(self, wait_seconds: float) -> None:
        """Start no more runs, stop those of this process, and wait for their end."""
        self._threads.shutdown(wait_seconds)

    def resume(self, job: RunJob) -> UUID | None:
        """Repeat an interrupted run as a new one, if that is wanted and possible.

        Return its identifier. The package is repeated as a whole; what was written
        before is Unchanged.
        """
        if not conf.setting("RESUME_INTERRUPTED") or job.attempt >= MOST_ATTEMPTS:
            return None
        with transaction.atomic():
            run = ImportRun.objects.select_for_update().filter(pk=job.run_id).first()
            if run is None or not _is_resumable(run):
                return None
            pieces = list(run.pieces.select_for_update().values_list("pk", flat=True))
            if not pieces:  # somebody has resumed it already
                return None
            again = _copy(run)
            again.save(force_insert=True)
            PackagePiece.objects.filter(pk__in=pieces).update(run=again)
            QueuedRun.objects.create(
                run=again,
                language=job.language,
                default_policies=job.default_policies,
                window=job.window,
            )
            self.defer(
                msgspec.structs.replace(
                    job, run_id=again.run_id, attempt=job.attempt + 1
                )
            )
        named = {"run_id": str(run.run_id)}
        logger.warning(
            "Run %s was interrupted; run %s repeats its package (attempt %d).",
            run.run_id,
            again.run_id,
            job.attempt + 1,
            extra=named,
        )
        return again.run_id

    def _wait_for_begin(self, run_id: UUID) -> None:
        """Wait until a worker has begun a run; take it back if another run was faster.

        If no worker is free, it begins later.
        """
        end = time.monotonic() + _SECONDS_TO_BEGIN
        waiting = ImportRun.objects.filter(pk=run_id, status=Status.QUEUED)
        while waiting.exists() and time.monotonic() < end:
            other = reading.running_run()
            if other and other.run_id != run_id and queueing.withdraw(run_id):
                with import_lock("", ""):  # raises the refusal, unless it just ended
                    pass
                raise ImportInProgress(None)
            time.sleep(_BETWEEN_LOOKS)


def carry_out(engine: WorkerEngine, job: RunJob) -> None:
    """Carry out the run of a job in this thread, if it still waits.

    Raise TryLater while another import is in progress or this process stops.
    """
    place = queueing.place_of(job.run_id)
    if place is None:
        return  # cancelled, or its process died: then `end_run_of` decides
    if reason := pause_reason():
        raise TryLater(reason)
    with queueing.in_language_of(place):
        try:
            with closing(queueing.order_at(place)) as order:
                execute(order)
        except queueing.CannotStart as refusal:
            queueing.fail(place, str(refusal))
        except NotQueued:
            return
        except (ImportInProgress, EngineStopped, LockUnusable, Error, OSError) as busy:
            raise TryLater(str(busy)) from busy
        except Exception:  # the others shall not wait forever
            named = {"run_id": str(job.run_id)}
            logger.exception("Run %s broke off", job.run_id, extra=named)
            queueing.fail(place, unexpected())
    engine.resume(job)


def end_run_of(engine: WorkerEngine, job: RunJob) -> bool:
    """End the run of a job whose worker died or no longer responds, and resume it if
    that is wanted; return False to be called again soon."""
    if queueing.place_of(job.run_id) is not None:
        engine.defer(job)  # it had not begun
        return True
    if _is_going_on(job.run_id):
        if running.is_running(job.run_id):
            return False  # here, and only its worker was late
        dead_runs.mark_interrupted_runs()
    if _is_going_on(job.run_id):
        # The process exists, but is cut off or frozen. Its session ends a little later.
        break_lock()
        return False
    engine.resume(job)
    return True


def _is_going_on(run_id: UUID) -> bool:
    run = reading.running_run()
    return run is not None and run.run_id == run_id


def _job_of(place: QueuedRun) -> RunJob:
    return RunJob(
        place.run_id,
        language=place.language,
        default_policies=place.default_policies,
        window=place.window,
    )


def _is_resumable(run: ImportRun) -> bool:
    """Return whether a run was interrupted, but not by a person."""
    return run.status == Status.INTERRUPTED and run.stop_requested_at is None


def _copy(run: ImportRun) -> ImportRun:
    """Return an unsaved run that does the same as another one."""
    return ImportRun(
        run_id=uuid4(),
        status=Status.QUEUED,
        started_at=timezone.now(),
        **{
            name: getattr(run, name)
            for name in (
                "package",
                "version",
                "origin",
                "dry_run",
                "digest",
                "continue_on_error",
                "time_zone",
                "started_by",
                "started_by_name",
                "started_via",
                "starter",
                "kind",
                "based_on",
                "table",
            )
        },
    )
