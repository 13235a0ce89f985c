"""The scheduler of several nodes: one of them finds out what is due, and any of them does
it."""

from __future__ import annotations

import datetime

from django.db import connection, transaction

from platform_site import senders
from platform_site.nodes import queue
from platform_site.scheduling.clock import SystemClock
from platform_site.scheduling.models import SchedulerTick
from platform_site.scheduling.scheduler import Scheduler


class DatabaseClock(SystemClock):
    """The clock of the database, which is the same for all nodes."""

    def now(self) -> datetime.datetime:
        """Return the current instant."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            now: datetime.datetime = cursor.fetchone()[0]
        return now


class SharedScheduler(Scheduler):
    """The scheduler of one node.

    Up to when the due runs are started is in the database, and moves on in the
    transaction that starts them. So each is started once, also if the lock that lets one
    node do it was lost unnoticed.
    """

    def __init__(self) -> None:
        super().__init__(DatabaseClock())

    def _take_over(self, now: datetime.datetime) -> None:
        """Continue where the last node stopped, which was up to a minute ago."""
        tick, _created = SchedulerTick.objects.get_or_create(
            pk=SchedulerTick.ONLY, defaults={"seen_at": now}
        )
        self._seen = tick.seen_at

    def _claim_due(self, now: datetime.datetime) -> datetime.datetime | None:
        ours = SchedulerTick.objects.filter(seen_at=self._seen or now)
        with transaction.atomic():
            if not ours.update(seen_at=now):
                self._seen = None
                return None
            return super()._claim_due(now)

    def _start_waiting(self) -> None:
        """Leave the due executions to the workers, which have jobs for them."""

    def _begin_sending(self) -> None:
        if self._seen is not None:
            for sender in senders.due_senders(self._clock.now()):
                queue.defer_sending(sender.name)
