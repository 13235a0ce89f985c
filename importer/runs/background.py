"""Background runs: the interface that a project may implement, the default engine, a
thread, and the thread that starts queued runs.

Any other engine, such as a queue with workers, must do the same: ``start`` returns once
the run holds the import lock and its record exists. After each run it should call
``start_queued_runs``; otherwise the next one may begin two seconds later.
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
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import BinaryIO, Protocol, runtime_checkable

from django.db import Error, connections
from django.utils.module_loading import import_string

from importer import conf
from importer.runs import queueing, reading, running
from importer.runs.dead_runs import end_dead_runs
from importer.runs.execution import execute
from importer.runs.failures import unexpected
from importer.runs.history import NotQueued
from importer.runs.lock import ImportInProgress, LockUnusable
from importer.runs.options import ImportedTable, RunOrder
from importer.runs.pausing import pause_reason
from importer.runs.running import EnginePaused, EngineStopped

logger = logging.getLogger("platform.importer")
_PIECE = 1 << 20
# Long enough, because a run stops between two objects.
_AT_EXIT_SECONDS = 10
# Runs of other processes end without a signal to this one.
_BETWEEN_TRIES = 2.0


class RunEngine(Protocol):
    """An engine that carries out runs in the background (OPEN-46).

    Cancelling a run only changes its row; an engine needn't know about it.
    """

    def start(self, order: RunOrder) -> None:
        """Start a run and take over its source and table.

        Raise whatever prevents it: ImportInProgress, LockUnusable, RunExists,
        NotQueued, DatabaseError, EngineStopped. Both are then closed as well.
        """

    def shutdown(self, wait_seconds: float) -> None:
        """Start no more runs, stop those of this process, and wait for their end."""


@runtime_checkable
class WorkerQueue(Protocol):
    """What an engine has besides if workers of several processes carry out its runs."""

    def enqueue(self, order: RunOrder) -> None:
        """Store a run at the end of the queue, for whichever worker is free."""

    def start_queued(self) -> None:
        """Have the queued runs carried out for which there is no worker's job."""


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
        if reason := pause_reason():
            order.close()
            raise EnginePaused(reason)
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
        trouble: BaseException | None = None
        try:
            execute(order, begun=lambda: answer.set_result(None))
        except BaseException as failure:  # noqa: BLE001 - the starter shall hear of it
            trouble = failure
        finally:
            order.close()
            if answer.done():  # it had the lock, which is free now
                with suppress(Error, RuntimeError):  # whoever looks next starts them
                    start_queued_runs()
            connections.close_all()
            with self._lock:
                self._threads.discard(threading.current_thread())
        if trouble is not None:
            self._tell(trouble, order, answer)

    @staticmethod
    def _tell(trouble: BaseException, order: RunOrder, answer: Future[None]) -> None:
        if answer.done():
            logger.error(
                "Run %s broke off",
                order.run_id,
                exc_info=trouble,
                extra=order.log_fields,
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


class QueueThread:
    """The thread of this process that starts queued runs, as long as there are any."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._woken = threading.Event()

    def wake(self) -> None:
        """Let the thread look for queued runs now; start it if it isn't there."""
        self._woken.set()
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._work, name="queued imports", daemon=True
                )
                self._thread.start()

    def join(self, wait_seconds: float) -> None:
        """Wait until no run is queued any more."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(wait_seconds)

    def _work(self) -> None:
        while not running.is_stopped():
            self._woken.clear()
            try:
                _start_next()
                with self._lock:
                    if queueing.is_empty():
                        self._thread = None
                        return
            except EngineStopped:
                return
            except (LockUnusable, Error, OSError) as trouble:
                logger.warning("The queued runs can't start yet: %s", trouble)
            finally:
                connections.close_all()
            self._woken.wait(_BETWEEN_TRIES)


queue_thread = QueueThread()


def start_queued_runs() -> None:
    """Have the queued runs started one after another, each when the lock is free."""
    if running.is_stopped() or queueing.is_empty():
        return
    own = engine()
    if isinstance(own, WorkerQueue):
        own.start_queued()
    else:
        queue_thread.wake()


def enqueue(order: RunOrder) -> None:
    """Store a run at the end of the queue, and have it started when it is its turn."""
    own = engine()
    if isinstance(own, WorkerQueue):
        own.enqueue(order)
        return
    queueing.enqueue(order)
    start_queued_runs()


def _start_next() -> None:
    """Start the run that has waited longest, unless another run is in progress or runs
    are paused."""
    if pause_reason():
        return
    end_dead_runs()
    while reading.running_run() is None and (place := queueing.next_place()):
        with queueing.in_language_of(place):
            try:
                engine().start(queueing.order_at(place))
            except queueing.CannotStart as refusal:
                queueing.fail(place, str(refusal))
            except NotQueued:
                pass  # cancelled, or another process was faster
            except ImportInProgress:
                return
            except (EngineStopped, LockUnusable, Error, OSError):
                raise
            except Exception:  # the others shall not wait forever
                named = {"run_id": str(place.run_id)}
                logger.exception("Run %s can't begin", place.run_id, extra=named)
                queueing.fail(place, unexpected())


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


def copied_table(table: ImportedTable | None) -> ImportedTable | None:
    """Return the same table with a temporary copy of its file, None without a table."""
    if table is None:
        return None
    table.file.seek(0)
    file, _digest = copied(table.file)
    return replace(table, file=file)
