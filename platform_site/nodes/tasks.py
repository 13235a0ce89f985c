"""The tasks that workers carry out, each in a thread of its own.

The threads don't keep the process from ending, unlike those of a pool; what they leave
undone is found by the other nodes.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from django.db import connections
from django.utils import timezone
from procrastinate import BaseRetryStrategy, Blueprint, JobContext, RetryDecision
from procrastinate.jobs import Job

from importer.services import RunJob, TryLater, carry_out, run_engine
from platform_site import senders
from platform_site.nodes.queue import JobKind, NodesEngine
from platform_site.nodes.sessions import doing
from platform_site.scheduling import history
from platform_site.scheduling.execution import (
    Ending,
    Status,
    carry_out as carry_out_begun,
    unexpected,
)
from platform_site.scheduling.models import JobExecution
from platform_site.scheduling.scheduler import log_context_of

logger = logging.getLogger("platform.nodes")
tasks = Blueprint()


class Soon(BaseRetryStrategy):
    """The retries of what can't be done just now, such as while a command imports."""

    def get_retry_decision(
        self, *, exception: BaseException, job: Job
    ) -> RetryDecision | None:
        """Return when to try again, None for other failures."""
        if isinstance(exception, TryLater):
            return RetryDecision(retry_in={"seconds": 1})
        return None


@tasks.task(name=JobKind.RUN.value, retry=Soon(), pass_context=True)
async def carry_out_run(context: JobContext, job: dict[str, Any]) -> None:
    """Carry out a queued import."""
    run = msgspec.convert(job, RunJob)
    engine = run_engine()
    if isinstance(engine, NodesEngine):
        await _in_a_thread(context, partial(carry_out, engine, run))


@tasks.task(name=JobKind.EXECUTION.value, pass_context=True)
async def carry_out_execution(context: JobContext, execution: int) -> None:
    """Carry out an execution of a scheduled job, or a requested one."""
    await _in_a_thread(context, partial(_carry_out_execution, execution))


@tasks.task(name=JobKind.SENDING.value, pass_context=True)
async def send(context: JobContext, sender: str) -> None:
    """Send what is due of one kind."""
    await _in_a_thread(context, lambda: senders.send(sender, timezone.now()))


def _carry_out_execution(pk: int) -> None:
    """Carry out an execution unless it was deleted or has begun before."""
    found = JobExecution.objects.select_related(*history.NEEDED).filter(pk=pk)
    execution = found.first()
    if execution is None or not history.begin(execution, at=timezone.now()):
        return
    ending = Ending(Status.FAILED, unexpected())
    with log_context_of(execution):
        history.note_begin(execution)
        try:
            ending = carry_out_begun(execution)
        finally:
            at = timezone.now()
            history.end_safely(execution, ending, at=at)
        history.note_end(execution, ending, at=at)


async def _in_a_thread(context: JobContext, work: Callable[[], object]) -> None:
    number = context.job.id or 0
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def end(trouble: BaseException | None) -> None:
        if done.done():
            return
        if trouble is None:
            done.set_result(None)
        else:
            done.set_exception(trouble)

    def run() -> None:
        trouble: BaseException | None = None
        try:
            with doing(number):
                work()
        except TryLater as busy:
            trouble = busy
        except BaseException as failure:
            # The library of the queue writes no line about it.
            logger.exception("Job %d (%s) failed", number, context.job.task_name)
            trouble = failure
        finally:
            connections.close_all()
        with suppress(RuntimeError):  # the worker has ended already
            loop.call_soon_threadsafe(end, trouble)

    threading.Thread(target=run, name=f"job {number}", daemon=True).start()
    await done
