"""The thread of a server that does the regular work on archives, and the one of Back up
now. What they need is imported when it is first used."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

from django.db import connections

from platform_site.settings.configuration import Configuration

# Delayed, because a start is busy and may be repeated often.
AFTER_START_SECONDS: Final = 60.0
_EVERY_SECONDS: Final = 60.0
_WORK: Final = "platform_site.site.archives.regular"
_stopping: Final = threading.Event()
_running: Final = threading.Lock()
logger = logging.getLogger("platform.backups")


@contextmanager
def regular_archives(configuration: Configuration) -> Iterator[None]:
    """Make archives when they are due inside the block."""
    stop = threading.Event()

    def keep_working() -> None:
        pause = AFTER_START_SECONDS
        while not stop.wait(pause):
            _work(lambda work: work.do_what_is_due(configuration, stop.is_set))
            pause = _EVERY_SECONDS

    threading.Thread(target=keep_working, name="archives", daemon=True).start()
    try:
        yield
    finally:
        stop.set()
        _stopping.set()


def start_backup(configuration: Configuration) -> bool:
    """Make an archive in a thread; return False if one is being made here."""
    if not _running.acquire(blocking=False):
        return False

    def work() -> None:
        try:
            _work(lambda work: _back_up(work, configuration))
        finally:
            _running.release()

    threading.Thread(target=work, name="backup", daemon=True).start()
    return True


def is_backing_up() -> bool:
    """Return whether Back up now is at work in this process."""
    return _running.locked()


def _back_up(work: Any, configuration: Configuration) -> None:
    work.back_up_now(configuration, _stopping.is_set)
    work.send_waiting(configuration, _stopping.is_set)


def _work(do: Callable[[Any], None]) -> None:
    """Do the work; the thread must survive an unavailable database or a full disk."""
    try:
        do(import_module(_WORK))
    except Exception:
        if not _stopping.is_set():
            logger.exception("The work on backups was not possible")
    finally:
        connections.close_all()
