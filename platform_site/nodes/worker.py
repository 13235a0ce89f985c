"""The workers of this node: a thread with an event loop, which takes jobs from the queue
and tells the database every few seconds that the node is alive."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import suppress
from typing import Any, Final

from django.conf import settings
from procrastinate import App
from procrastinate.contrib.django.utils import connector_params
from procrastinate.psycopg_connector import PsycopgConnector

from platform_site.nodes.queue import Queue
from platform_site.nodes.tasks import tasks
from platform_site.scheduling.scheduler import AT_ONCE, REQUESTED_AT_ONCE

logger = logging.getLogger("platform.nodes")
_WORKERS: Final = (
    ((Queue.IMPORTS, Queue.SENDING), 3),
    ((Queue.JOBS,), AT_ONCE),
    ((Queue.REQUESTS,), REQUESTED_AT_ONCE),
)
_CONNECTIONS: Final = 4
# A job is missed only if the notification of the database was.
_POLL_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 2.0


class Workers:
    """The workers of this process."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._run, name="workers", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()

    def start(self) -> None:
        """Begin to take jobs."""
        # It writes a line for each job; ours say the same about runs and executions.
        logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
        self._thread.start()

    def stop(self, *, wait_seconds: float = 0) -> None:
        """Take no more jobs, and wait for those in progress; may be called repeatedly.

        What isn't finished by the end of the process is found by other nodes.
        """
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(self._stopping.set)
        if wait_seconds and self._thread.is_alive():
            self._thread.join(wait_seconds)

    def _run(self) -> None:
        # The driver doesn't work with the default one of Windows.
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            self._loop = runner.get_loop()
            self._loop.set_exception_handler(_log_trouble)
            runner.run(self._keep_working())

    async def _keep_working(self) -> None:
        is_in_trouble = False
        while not self._stopping.is_set():
            try:
                await self._work()
            except Exception as trouble:  # noqa: BLE001 - such as an unreachable database
                if not is_in_trouble:
                    logger.warning("The workers can't work yet: %s", trouble)
                is_in_trouble = True
            else:
                is_in_trouble = False
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _PAUSE_SECONDS)

    async def _work(self) -> None:
        """Work until the stop, or until one of the workers fails."""
        app = App(
            connector=PsycopgConnector(
                kwargs=connector_params(), min_size=1, max_size=_CONNECTIONS
            )
        )
        app.add_tasks_from(tasks, namespace="")
        seconds = settings.PLATFORM_NODE_SECONDS
        async with app.open_async():
            workers = [
                asyncio.create_task(
                    app.run_worker_async(
                        queues=list(queues),
                        concurrency=concurrency,
                        install_signal_handlers=False,
                        fetch_job_polling_interval=_POLL_SECONDS,
                        delete_jobs="always",
                        update_heartbeat_interval=seconds / 3,
                        stalled_worker_timeout=seconds,
                    )
                )
                for queues, concurrency in _WORKERS
            ]
            stop = asyncio.create_task(self._stopping.wait())
            await asyncio.wait([*workers, stop], return_when=asyncio.FIRST_COMPLETED)
            for task in (*workers, stop):
                task.cancel()
            await asyncio.gather(*workers, stop, return_exceptions=True)


def _log_trouble(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log in one line what no worker waited for, such as a job that others ended."""
    trouble = context.get("exception") or context["message"]
    logger.warning("A worker was interrupted: %s", " ".join(str(trouble).split()))
