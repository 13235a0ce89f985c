"""The loading of the demo company in a thread, and its progress for the page.

The progress is in the record of the run, so it is visible to everybody, after a reload
and after a crash. A lock between processes shows that a load is in progress, also
before its run has begun and while users are created; it ends with the process.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import connections, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from demo.errors import DemoRefused
from demo.packages import demo_package
from demo.seeding import seed
from importer import services as importer
from importer.models import ImportRun
from importer.services import (
    EngineStopped,
    ImportInProgress,
    LockUnusable,
    ProcessLock,
    RunProgress,
    database_lock,
    progress_of,
)
from platform_site.log_context import LogContext, log_context, logged_as
from platform_site.site.welcome.models import Welcome

logger = logging.getLogger("platform.demo")
_MAX_SENTENCES = 5
_AT_EXIT_SECONDS = 10
LOCK_FILE: Final = ("db", ".demo.lock")
_LOCK_KEY: Final = 0x44454D4F
_going: dict[UUID, threading.Thread] = {}


class Loading(msgspec.Struct, frozen=True):
    """The progress of a load, or the reasons why it ended."""

    is_running: bool
    progress: RunProgress | None = None
    trouble: tuple[str, ...] = ()
    run: ImportRun | None = None


def start(run_id: UUID, *, when_loaded: Callable[[], Any]) -> None:
    """Load the demo company in a thread, with the given run identifier.

    The caller holds the row of the wizard, and has checked that no load is in progress.
    """
    lock = _lock()
    lock.take()
    # A daemon thread, so that it doesn't keep the process from ending.
    thread = threading.Thread(
        target=_load,
        args=(run_id, translation.get_language(), when_loaded, lock.release),
        kwargs={"context": log_context().of_the_work_it_begins()},
        name=f"demo {run_id}",
        daemon=True,
    )
    _going[run_id] = thread
    try:
        thread.start()
    except BaseException:
        del _going[run_id]
        lock.release()
        raise


def is_running(welcome: Welcome) -> bool:
    """Return whether the demo company is being loaded, by this process or another."""
    found = loading_of(welcome)
    return found is not None and found.is_running


def loading_of(welcome: Welcome) -> Loading | None:
    """Return the progress of the demo company, None if nobody has requested it."""
    if welcome.run_id is None:
        return None
    going = welcome.run_id in _going or _is_loaded_elsewhere()
    if not going:
        # A process that died during the load has left its run.
        importer.end_what_died()
    run = importer.get_run(welcome.run_id)
    running = run is not None and run.status == ImportRun.Status.RUNNING
    if going or running:
        progress = progress_of(run) if run is not None else None
        return Loading(is_running=True, progress=progress, run=run)
    return Loading(is_running=False, trouble=_sentences(welcome, run), run=run)


def _lock() -> ProcessLock:
    """Return the lock of the loading process, not taken yet."""
    path = settings.PLATFORM_DATA_FOLDER.joinpath(*LOCK_FILE)
    return database_lock(_LOCK_KEY, path)


def _is_loaded_elsewhere() -> bool:
    """Return whether another process holds the lock of the load.

    The check takes the lock briefly, so callers must hold the wizard's row.
    """
    with transaction.atomic(), _lock() as lock:
        Welcome.objects.select_for_update().get(pk=1)
        return not lock.take()


def wait() -> None:
    """Wait for the loads of this process, which stop with its other imports."""
    for thread in list(_going.values()):
        thread.join(_AT_EXIT_SECONDS)


atexit.register(wait)


def _load(
    run_id: UUID,
    language: str | None,
    when_loaded: Callable[[], Any],
    release: Callable[[], None],
    context: LogContext,
) -> None:
    try:
        with logged_as(context), translation.override(language):
            trouble = _seeded(run_id)
        # Another load may have been requested by now.
        Welcome.objects.filter(run_id=run_id).update(trouble=trouble)
        when_loaded()
    except Exception:
        logger.exception("Load %s of the demo data broke off", run_id)
    finally:
        connections.close_all()
        release()
        del _going[run_id]


def _seeded(run_id: UUID) -> str:
    """Seed, and return what prevented it; errors of the package are in its run."""
    try:
        # By name, because a user requests it; so it is also restored after a removal.
        seed(demo_package(None).package, run_id=run_id)
    except (DemoRefused, ImportInProgress, LockUnusable, EngineStopped) as refusal:
        return str(refusal)
    except Exception:
        logger.exception("The demo data could not be loaded")
        return _("It ended unexpectedly; see the server log for the reason.")
    return ""


def _sentences(welcome: Welcome, run: ImportRun | None) -> tuple[str, ...]:
    """Return why there is no demo company yet."""
    if welcome.trouble:
        return (welcome.trouble,)
    if run is None or run.status == ImportRun.Status.INTERRUPTED:
        return (_("It was interrupted."),)
    sentences = [
        one["message"] for one in run.diagnostics if one["severity"] == "Error"
    ]
    failed = importer.report_entries(run.run_id, outcome="Failed", limit=_MAX_SENTENCES)
    sentences += [f"{entry.target} {entry.id}: {entry.message}" for entry in failed]
    return tuple(sentences[:_MAX_SENTENCES])
