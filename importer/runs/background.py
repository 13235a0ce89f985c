"""Background runs: the interface that a project may implement, and the default engine,
a thread.

Any other engine, such as a queue with workers, must do the same: ``start`` returns once
the run holds the import lock and its record exists.
"""

from __future__ import annotations

import atexit
import contextvars
import hashlib
import logging
import tempfile
import threading
import time
from concurrent.futures import Future
from functools import cache
from typing import BinaryIO, Protocol

from django.db import connections
from django.utils.module_loading import import_string

from importer import conf
from importer.runs import running
from importer.runs.execution import execute
from importer.runs.options import RunOrder

logger = logging.getLogger("platform.importer")
_PIECE = 1 << 20
# Long enough, because a run stops between two objects.
_AT_EXIT_SECONDS = 10


class RunEngine(Protocol):
    """An engine that carries out runs in the background (OPEN-46).

    Cancelling a run only changes its row; an engine needn't know about it.
    """

    def start(self, order: RunOrder) -> None:
        """Start a run and take over its source.

        Raise whatever prevents it: ImportInProgress, LockUnusable, RunExists,
        DatabaseError, EngineStopped. The source is then closed as well.
        """

    def shutdown(self, wait_seconds: float) -> None:
        """Start no more runs, stop those of this process, and wait for their end."""


@cache
def engine() -> RunEngine:
    """Return the engine of this process, as set by ``RUN_ENGINE``."""
    made: RunEngine = import_string(conf.setting("RUN_ENGINE"))()
    return made


class ThreadEngine:
    """An engine that runs each order in a thread of this process.

    The thread does everything, including the lock, because file locks and database
    connections belong to the thread that opened them. The starter waits until it has
    begun.
    """

    def __init__(self) -> None:
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()
        atexit.register(self.shutdown, _AT_EXIT_SECONDS)

    def start(self, order: RunOrder) -> None:
        """Start a run in its own thread."""
        answer: Future[None] = Future()
        # A daemon thread, so that a hanging run doesn't keep the process from ending.
        thread = threading.Thread(
            target=contextvars.copy_context().run,
            args=(self._carry_out, order, answer),
            name=f"import {order.run_id}",
            daemon=True,
        )
        with self._lock:
            self._threads.add(thread)
            thread.start()
        answer.result()

    def _carry_out(self, order: RunOrder, answer: Future[None]) -> None:
        named = {"run_id": str(order.run_id)}
        logger.info("Run %s begins in the background", order.run_id, extra=named)
        trouble: BaseException | None = None
        try:
            execute(order, begun=lambda: answer.set_result(None))
        except BaseException as failure:  # noqa: BLE001 - the starter shall hear of it
            trouble = failure
        finally:
            order.source.close()
            connections.close_all()
            with self._lock:
                self._threads.discard(threading.current_thread())
        if trouble is not None:
            self._tell(trouble, order, answer)

    @staticmethod
    def _tell(trouble: BaseException, order: RunOrder, answer: Future[None]) -> None:
        if answer.done():
            named = {"run_id": str(order.run_id)}
            logger.error(
                "Run %s broke off", order.run_id, exc_info=trouble, extra=named
            )
        else:
            answer.set_exception(trouble)

    def shutdown(self, wait_seconds: float) -> None:
        """Start no more runs, stop those of this process, and wait for their end."""
        running.stop_all()
        self.join(wait_seconds)

    def join(self, wait_seconds: float | None = None) -> None:
        """Wait for the runs of this process without stopping them."""
        end = None if wait_seconds is None else time.monotonic() + wait_seconds
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(None if end is None else max(0, end - time.monotonic()))


def copied(source: BinaryIO) -> tuple[BinaryIO, str]:
    """Return a temporary copy of a source, and its SHA-256.

    The file has no name, so a process that dies leaves nothing behind.
    """
    digest = hashlib.sha256()
    file = tempfile.TemporaryFile(dir=conf.setting("TEMP_FOLDER"))  # noqa: SIM115 - the run closes it
    try:
        while piece := source.read(_PIECE):
            digest.update(piece)
            file.write(piece)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file, digest.hexdigest()
