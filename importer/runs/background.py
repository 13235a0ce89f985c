"""Runs in the background: what a project may replace, and the thread that is the default.

Whatever takes the thread's place, a queue with workers for instance, promises the same:
``start`` returns once the run holds the import lock and its record is there.
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
# A run stops between two objects, so this is long for it.
_AT_EXIT_SECONDS = 10


class RunEngine(Protocol):
    """What carries out runs without letting the caller wait for their end (OPEN-46).

    Whoever cancels a run asks its row; an engine need not know of that.
    """

    def start(self, order: RunOrder) -> None:
        """Begin a run and take its source over.

        Raises whatever keeps it from beginning: ImportInProgress, LockUnusable,
        RunExists, DatabaseError, EngineStopped; then the source is closed too.
        """

    def shutdown(self, wait_seconds: float) -> None:
        """Begin no run any more, stop those of this process, and wait for their end."""


@cache
def engine() -> RunEngine:
    """Return the engine of this process, made from the setting ``RUN_ENGINE``."""
    made: RunEngine = import_string(conf.setting("RUN_ENGINE"))()
    return made


class ThreadEngine:
    """An engine that runs each order in a thread of this process.

    The thread does all of it, the lock included, for file locks and database
    connections belong to the thread that opened them; the starter waits for its word.
    """

    def __init__(self) -> None:
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()
        atexit.register(self.shutdown, _AT_EXIT_SECONDS)

    def start(self, order: RunOrder) -> None:
        """Begin a run in a thread of its own."""
        answer: Future[None] = Future()
        # A daemon: whatever hangs in it must not keep the process from ending.
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
        """Begin no run any more, stop those of this process, and wait for their end."""
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
    """Copy a source into a file that ends with the process; return it and its SHA-256.

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
