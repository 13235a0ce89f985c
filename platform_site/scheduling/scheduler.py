"""The thread that keeps the jobs: it looks which are due, lets each run in a thread of
its own, and sleeps until the next moment or until something changes."""

from __future__ import annotations

import datetime
import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from django.db import InterfaceError, OperationalError, connections

from importer.log_context import logged_with
from platform_site import housekeeping
from platform_site.accounts.standard import JOBS_SCHEDULER
from platform_site.scheduling import history
from platform_site.scheduling.clock import SystemClock, ring
from platform_site.scheduling.execution import Ending, Status, carry_out, unexpected
from platform_site.scheduling.lock import scheduler_lock
from platform_site.scheduling.models import Job
from platform_site.scheduling.services import next_moment

if TYPE_CHECKING:
    from platform_site.scheduling.clock import Clock
    from platform_site.scheduling.models import JobExecution

logger = logging.getLogger("platform.scheduling")
# How soon an edit made by another process takes effect.
LOOK_EVERY_SECONDS: Final = 5.0
# A moment found later than this was missed, by sleep or trouble: it is not made up.
GRACE: Final = datetime.timedelta(minutes=1)
AT_ONCE: Final = 4


Spawn = Callable[[str, Callable[[], None]], None]


def _in_a_thread(name: str, work: Callable[[], None]) -> None:
    threading.Thread(target=work, name=name, daemon=True).start()


class Scheduler:
    """Keep the jobs of one database; `look` is one turn of its thread."""

    def __init__(self, clock: Clock | None = None, spawn: Spawn | None = None) -> None:
        self._clock: Clock = clock or SystemClock()
        self._spawn: Spawn = spawn or _in_a_thread
        self._lock = scheduler_lock()
        # Up to here moments have been seen to; None while another process keeps them.
        self._seen: datetime.datetime | None = None
        self._running: set[int] = set()
        self._ended: deque[tuple[JobExecution, Ending, datetime.datetime]] = deque()
        self._stopping = threading.Event()
        self._in_trouble = False
        self._tidied: datetime.datetime | None = None
        self._thread = threading.Thread(
            target=self._keep_looking, name="scheduler", daemon=True
        )

    def start(self) -> None:
        """Begin to look; the moments before this one are past."""
        self._thread.start()

    def stop(self, *, wait_seconds: float = 0) -> None:
        """Start no job any more, and wait for those that run; can be called again.

        What has not ended by then is closed as interrupted by the next start.
        """
        self._stopping.set()
        ring()
        if wait_seconds:
            self._thread.join(wait_seconds)

    def look(self) -> datetime.datetime | None:
        """Record what ended, start what is due, and return the next moment of all."""
        self._record_ends()
        now = self._clock.now()
        if not self._lock.take():
            self._seen = None
            return None
        if self._seen is None:
            self._take_over(now)
        if self._stopping.is_set():
            return None
        moment = self._claim_due(now)
        self._start_waiting()
        return moment

    def _keep_looking(self) -> None:
        try:
            while not self._stopping.is_set() or self._running or self._ended:
                self._clock.wait(self._seconds_until(self._looked()))
        finally:
            self._lock.release()
            connections.close_all()

    def _looked(self) -> datetime.datetime | None:
        """Look; trouble is logged when it begins and when it is over."""
        try:
            moment = self.look()
            self._keep_house()
        except Exception:
            # The database may be away for a while; the thread must outlive that.
            if not self._in_trouble:
                logger.exception("The scheduler cannot look at the jobs; it goes on")
            self._in_trouble = True
            return None
        finally:
            # None is kept open over a pause that may be long.
            connections.close_all()
        if self._in_trouble:
            logger.warning("The scheduler can look at the jobs again.")
        self._in_trouble = False
        return moment

    def _keep_house(self) -> None:
        """Do the chores at the start and every hour, in one process alone."""
        now = self._clock.now()
        if self._seen is None or self._stopping.is_set():
            return
        if self._tidied is None or abs(now - self._tidied) >= housekeeping.EVERY:
            self._tidied = now
            housekeeping.do_chores()

    def _seconds_until(self, moment: datetime.datetime | None) -> float:
        if moment is None:
            return LOOK_EVERY_SECONDS
        left = (moment - self._clock.now()).total_seconds()
        return min(max(left, 0.0), LOOK_EVERY_SECONDS)

    def _take_over(self, now: datetime.datetime) -> None:
        """Begin with the moments after this one; missed ones are not made up."""
        count = history.interrupt_unfinished(at=now, but=list(self._running))
        if count:
            logger.warning("%d executions of jobs had been interrupted.", count)
        self._seen = now

    def _claim_due(self, now: datetime.datetime) -> datetime.datetime | None:
        earliest = self._earliest(now)
        moments = []
        for job in Job.objects.filter(enabled=True):
            # Moments before the job was changed belong to no schedule of today's.
            moment = next_moment(job, max(earliest, job.since))
            if moment is not None and moment <= now:
                self._claim(job, moment)
                moment = next_moment(job, now)
            if moment is not None:
                moments.append(moment)
        self._seen = now
        return min(moments, default=None)

    def _earliest(self, now: datetime.datetime) -> datetime.datetime:
        seen = self._seen or now
        if now < seen - GRACE:
            # The machine's clock was set back: its times come again.
            return now
        if seen < now - GRACE:
            logger.warning(
                "Nobody looked at the jobs between %s and %s; moments missed then are "
                "not made up.",
                seen.isoformat(timespec="seconds"),
                now.isoformat(timespec="seconds"),
            )
        return max(seen, now - GRACE)

    def _claim(self, job: Job, moment: datetime.datetime) -> None:
        if history.claim(job, due_at=moment, started_by=JOBS_SCHEDULER) is None:
            logger.warning(
                "The job “%s” is left out at %s: it is still running.",
                job,
                moment.isoformat(timespec="seconds"),
            )

    def _start_waiting(self) -> None:
        free = AT_ONCE - len(self._running)
        for execution in history.waiting(free) if free > 0 else ():
            if history.begin(execution, at=self._clock.now()):
                logger.info("The job “%s” starts.", execution.job)
                self._run(execution)

    def _run(self, execution: JobExecution) -> None:
        self._running.add(execution.pk)
        try:
            self._spawn(f"job {execution.job_id}", partial(self._work, execution))
        except RuntimeError:
            logger.exception("There is no thread for the job “%s”", execution.job)
            ending = Ending(Status.FAILED, unexpected())
            self._ended.append((execution, ending, self._clock.now()))

    def _work(self, execution: JobExecution) -> None:
        """Carry one execution out, in its own thread with its own connections."""
        ending = Ending(Status.FAILED, unexpected())
        try:
            with logged_with(job=str(execution.pk)):
                ending = carry_out(execution.job)
        finally:
            connections.close_all()
            self._ended.append((execution, ending, self._clock.now()))
            ring()

    def _record_ends(self) -> None:
        while self._ended:
            execution, ending, at = self._ended[0]
            try:
                history.end(execution, ending, at=at)
            except (OperationalError, InterfaceError):
                # The database is away: the end is recorded when it is back.
                raise
            except Exception:
                logger.exception("The end of the job “%s” cannot be kept", execution)
                history.end(execution, Ending(Status.FAILED, unexpected()), at=at)
            logger.info("The job “%s” ended: %s.", execution.job, ending.status)
            self._ended.popleft()
            self._running.discard(execution.pk)


_schedulers: list[Scheduler] = []


def start_scheduler() -> None:
    """Start the scheduler of this process."""
    scheduler = Scheduler()
    _schedulers.append(scheduler)
    scheduler.start()


def stop_scheduler(*, wait_seconds: float = 0) -> None:
    """Start no job any more, and wait for those that run; can be called again."""
    for scheduler in _schedulers:
        scheduler.stop(wait_seconds=wait_seconds)
