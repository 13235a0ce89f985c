"""The scheduler thread: it finds due jobs, runs each in a thread of its own, and sleeps
until the next run or a change."""

from __future__ import annotations

import datetime
import logging
import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Final

from django.conf import settings
from django.db import connections

from importer.services import database_lock
from platform_site import housekeeping, senders
from platform_site.accounts.built_in import JOBS_SCHEDULER
from platform_site.log_context import logged_with
from platform_site.maintenance import current_maintenance
from platform_site.scheduling import history
from platform_site.scheduling.clock import Clock, SystemClock, ring
from platform_site.scheduling.execution import Ending, Status, carry_out, unexpected
from platform_site.scheduling.models import Job, JobExecution
from platform_site.scheduling.services import next_run

logger = logging.getLogger("platform.scheduling")
# How soon an edit made by another process takes effect.
POLL_SECONDS: Final = 5.0
# A run found later than this was missed, for example during sleep, and is skipped.
GRACE: Final = datetime.timedelta(minutes=1)
AT_ONCE: Final = 4
# What programs request, however long it takes, doesn't delay the jobs.
REQUESTED_AT_ONCE: Final = 2
LOCK_FILE: Final = ("db", ".scheduler.lock")
_LOCK_KEY: Final = 0x4A4F4253


Spawn = Callable[[str, Callable[[], None]], None]


def _in_a_thread(name: str, work: Callable[[], None]) -> None:
    threading.Thread(target=work, name=name, daemon=True).start()


class Scheduler:
    """The scheduler of one database's jobs; `poll` is one iteration of its thread."""

    def __init__(self, clock: Clock | None = None, spawn: Spawn | None = None) -> None:
        self._clock: Clock = clock or SystemClock()
        self._spawn: Spawn = spawn or _in_a_thread
        path = settings.PLATFORM_DATA_FOLDER.joinpath(*LOCK_FILE)
        self._lock = database_lock(_LOCK_KEY, path)
        # Runs up to this time are started; None while another process starts them.
        self._seen: datetime.datetime | None = None
        self._running: set[int] = set()
        self._running_requests: set[int] = set()
        self._ended: deque[tuple[JobExecution, Ending, datetime.datetime]] = deque()
        self._stopping = threading.Event()
        self._in_trouble = False
        self._tidied: datetime.datetime | None = None
        self._sending: set[str] = set()
        self._thread = threading.Thread(
            target=self._keep_polling, name="scheduler", daemon=True
        )

    def start(self) -> None:
        """Start polling; runs that were due before are skipped."""
        self._thread.start()

    def stop(self, *, wait_seconds: float = 0) -> None:
        """Start no more jobs and wait for running ones; may be called repeatedly.

        The next start marks executions that have not ended as interrupted.
        """
        self._stopping.set()
        ring()
        if wait_seconds:
            self._thread.join(wait_seconds)

    def poll(self) -> datetime.datetime | None:
        """Record ended executions, start due ones, and return when the next job is
        due."""
        self._record_ends()
        now = self._clock.now()
        if not self._lock.take():
            self._seen = None
            return None
        if self._seen is None:
            self._take_over(now)
        if self._stopping.is_set():
            return None
        if current_maintenance() is not None:
            # What is due meanwhile is skipped, as while no server runs.
            self._seen = now
            return None
        next_due = self._claim_due(now)
        self._start_waiting()
        return next_due

    def _keep_polling(self) -> None:
        try:
            while not self._stopping.is_set() or self._is_busy():
                self._clock.wait(self._seconds_until(self._polled()))
        finally:
            self._lock.release()
            connections.close_all()

    def _is_busy(self) -> bool:
        return bool(self._running or self._running_requests or self._ended)

    def _polled(self) -> datetime.datetime | None:
        """Poll, and log the beginning and the end of problems."""
        try:
            next_due = self.poll()
            self._keep_house()
            self._begin_sending()
        except Exception:
            # The database may be unavailable for a while; the thread must survive that.
            if not self._in_trouble:
                logger.exception("The scheduler cannot read the jobs; it keeps trying")
            self._in_trouble = True
            return None
        finally:
            # Connections aren't kept open during long pauses.
            connections.close_all()
        if self._in_trouble:
            logger.warning("The scheduler can read the jobs again.")
        self._in_trouble = False
        return next_due

    def _keep_house(self) -> None:
        """Do the chores at the start and every hour, in one process only."""
        now = self._clock.now()
        if self._seen is None or self._stopping.is_set():
            return
        if self._tidied is None or abs(now - self._tidied) >= housekeeping.EVERY:
            self._tidied = now
            housekeeping.do_chores()

    def _begin_sending(self) -> None:
        """Send what is due, each kind in a thread: its server may be slow."""
        if self._seen is None or self._stopping.is_set():
            return
        for sender in senders.due_senders(self._clock.now()):
            if sender.name in self._sending:
                continue
            self._sending.add(sender.name)
            try:
                self._spawn(sender.name, partial(self._send, sender.name))
            except RuntimeError:
                self._sending.discard(sender.name)
                raise

    def _send(self, name: str) -> None:
        try:
            senders.send(name, self._clock.now())
        except Exception:
            logger.exception("Nothing can be sent just now: %s", name)
        finally:
            self._sending.discard(name)
            connections.close_all()

    def _seconds_until(self, time: datetime.datetime | None) -> float:
        if time is None:
            return POLL_SECONDS
        left = (time - self._clock.now()).total_seconds()
        return min(max(left, 0.0), POLL_SECONDS)

    def _take_over(self, now: datetime.datetime) -> None:
        """Begin with the runs after `now`; missed ones are skipped."""
        count = history.interrupt_unfinished(
            at=now, but=self._running | self._running_requests
        )
        if count:
            logger.warning("%d executions of jobs had been interrupted.", count)
        self._seen = now

    def _claim_due(self, now: datetime.datetime) -> datetime.datetime | None:
        earliest = self._earliest(now)
        times = []
        for job in Job.objects.filter(enabled=True):
            # The current schedule has no times before the last change of the job.
            time = next_run(job, max(earliest, job.since))
            if time is not None and time <= now:
                self._claim(job, time)
                time = next_run(job, now)
            if time is not None:
                times.append(time)
        self._seen = now
        return min(times, default=None)

    def _earliest(self, now: datetime.datetime) -> datetime.datetime:
        seen = self._seen or now
        if now < seen - GRACE:
            # The clock was set back, so times repeat.
            return now
        if seen < now - GRACE:
            logger.warning(
                "The scheduler didn't run between %s and %s; jobs that were due then are "
                "skipped.",
                seen.isoformat(timespec="seconds"),
                now.isoformat(timespec="seconds"),
            )
        return max(seen, now - GRACE)

    def _claim(self, job: Job, time: datetime.datetime) -> None:
        if history.claim(job, due_at=time, started_by=JOBS_SCHEDULER) is None:
            logger.warning(
                "The job “%s” is skipped at %s: it is still running.",
                job,
                time.isoformat(timespec="seconds"),
            )

    def _start_waiting(self) -> None:
        jobs = AT_ONCE - len(self._running)
        requests = REQUESTED_AT_ONCE - len(self._running_requests)
        for execution in (
            *history.waiting(max(jobs, 0)),
            *history.waiting(max(requests, 0), requested=True),
        ):
            if history.begin(execution, at=self._clock.now()):
                with log_context_of(execution):
                    history.note_begin(execution)
                    self._run(execution)

    def _run(self, execution: JobExecution) -> None:
        self._running_like(execution).add(execution.pk)
        name = f"job {execution.job_id or execution.processor}"
        try:
            self._spawn(name, partial(self._work, execution))
        except RuntimeError:
            logger.exception(
                "No thread could be started for the job “%s”", execution.what
            )
            ending = Ending(Status.FAILED, unexpected())
            self._ended.append((execution, ending, self._clock.now()))

    def _running_like(self, execution: JobExecution) -> set[int]:
        """Return the running executions among which this one counts."""
        return self._running_requests if execution.job is None else self._running

    def _work(self, execution: JobExecution) -> None:
        """Carry out one execution in its own thread with its own connections."""
        ending = Ending(Status.FAILED, unexpected())
        try:
            with log_context_of(execution):
                ending = carry_out(execution)
        finally:
            connections.close_all()
            self._ended.append((execution, ending, self._clock.now()))
            ring()

    def _record_ends(self) -> None:
        while self._ended:
            execution, ending, at = self._ended[0]
            with log_context_of(execution):
                # While the database is unavailable this fails, and is done later.
                history.end_safely(execution, ending, at=at)
                history.note_end(execution, ending, at=at)
            self._ended.popleft()
            self._running_like(execution).discard(execution.pk)


def log_context_of(execution: JobExecution) -> AbstractContextManager[object]:
    """Name an execution and its user in log lines; the user is loaded already."""
    user = execution.user
    name = "" if user is None else str(user.get_username())
    return logged_with(job=str(execution.pk), user_name=lambda: name)


_schedulers: list[Scheduler] = []


def start_scheduler(scheduler: Scheduler | None = None) -> None:
    """Start the scheduler of this process."""
    scheduler = scheduler or Scheduler()
    _schedulers.append(scheduler)
    scheduler.start()


def stop_scheduler(*, wait_seconds: float = 0) -> None:
    """Start no more jobs and wait for running ones; may be called repeatedly."""
    for scheduler in _schedulers:
        scheduler.stop(wait_seconds=wait_seconds)
