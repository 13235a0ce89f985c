"""The search for dead nodes: every node looks for what another one left behind, and ends
it or has it repeated."""

from __future__ import annotations

import logging
import threading
from typing import Final

import msgspec
from django.conf import settings
from django.db import connections
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from importer.services import (
    RunJob,
    database_lock,
    end_run_of,
    end_what_died,
    run_engine,
)
from platform_site.nodes import queue, sessions
from platform_site.nodes.queue import JobKind, NodesEngine
from platform_site.scheduling import history

logger = logging.getLogger("platform.nodes")
# The key of the lock: one node searches at a time.
_SEARCH: Final = 0x53454152
_MOST_SECONDS: Final = 5.0


def end_abandoned_work() -> None:
    """End what dead nodes were doing; does nothing while another node does."""
    with database_lock(_SEARCH) as lock:
        if not lock.take():
            return
        for job in queue.abandoned_jobs():
            logger.warning(
                "The node that did job %d (%s) has died, or is cut off.",
                job.pk,
                job.task_name,
            )
            sessions.end_sessions_of(job.pk)
            if _is_ended(job):
                queue.remove(job)
        # Runs of commands and requests have no job, but a lock that ends with them.
        end_what_died()
        _end_lost_executions()


def _is_ended(job: ProcrastinateJob) -> bool:
    """End what a job was about; return False if it has to be done again soon."""
    engine = run_engine()
    if job.task_name == JobKind.RUN and isinstance(engine, NodesEngine):
        return end_run_of(engine, msgspec.convert(job.args["job"], RunJob))
    # Executions end below, and messages are sent again when they are due.
    return True


def _end_lost_executions() -> None:
    """End the executions that no worker will end, as their jobs are gone."""
    # In this order: an execution has its job from its first moment on.
    unfinished = history.unfinished()
    lost = unfinished - queue.deferred_executions()
    if lost and (count := history.interrupt(lost, at=timezone.now())):
        logger.warning("%d executions of jobs had been interrupted.", count)


class DeadNodeSearch:
    """The thread of this node that searches for dead ones."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._every = min(settings.PLATFORM_NODE_SECONDS / 3, _MOST_SECONDS)
        self._thread = threading.Thread(
            target=self._keep_searching, name="dead nodes", daemon=True
        )

    def start(self) -> None:
        """Begin to search."""
        self._thread.start()

    def stop(self) -> None:
        """Search no more."""
        self._stopping.set()

    def _keep_searching(self) -> None:
        is_in_trouble = False
        while not self._stopping.wait(self._every):
            try:
                end_abandoned_work()
            except Exception:
                # The database may be unavailable for a while.
                if not is_in_trouble:
                    logger.exception("Dead nodes can't be searched for just now")
                is_in_trouble = True
            else:
                is_in_trouble = False
            finally:
                connections.close_all()
