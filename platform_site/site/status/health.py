"""The two health paths, handled before anything else: one word for the probe, and the
reason in the log."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase

from platform_site.database.limits import Limits, limited
from platform_site.middleware import Middleware, foreseen
from platform_site.site.status.disk_space import space_trouble
from platform_site.site.status.shared_check import LIMIT_SECONDS, SharedCheck
from platform_site.site.status.shared_folder import folder_trouble

Probe = Callable[[], str]

logger = logging.getLogger("platform.status")
_SECONDS: Final = int(LIMIT_SECONDS)
_LIMITS: Final = Limits(
    statement_seconds=_SECONDS,
    lock_seconds=_SECONDS,
    connect_seconds=_SECONDS,
    answer_seconds=_SECONDS,
    spares_attempts=False,
)
LATE: Final = f"the database does not answer within {LIMIT_SECONDS:g} s"
_LATE_HERE: Final = f"the database, or a disk or shared folder, does not answer within {LIMIT_SECONDS:g} s"


class HealthMiddleware(Middleware):
    """The middleware of `/health/live` and `/health/ready`, for any client and Host
    (HOST-124..129).

    It comes first and so needs no host check, session or redirect.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        probe = PROBES.get(request.path_info)
        if probe is None:
            return self._get_response(request)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        # The reason is logged when it changes, not at every probe.
        return foreseen(_answer(request.path_info, probe))


def nothing_to_check() -> str:
    """Return no reason: a process that responds is alive (OPEN-120)."""
    return ""


def readiness() -> str:
    """Return why requests can't be served, "" if they can, within two seconds.

    The result is cached for a second, and only one check runs at a time.
    """
    reason = _ready()
    _log.report(reason)
    return reason


def database_trouble(connection: BaseDatabaseWrapper) -> str:
    """Return why the database can't serve requests, empty if it can."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite" and not Path(name).is_file():
        # Opening it would create an empty one and hide that the file is missing.
        return f"The database file {name} is missing."
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if pending:
        names = ", ".join(str(migration) for migration, _ in pending[:5])
        return f"{len(pending)} migrations are pending, first {names}."
    return ""


@contextmanager
def probe_connection() -> Iterator[BaseDatabaseWrapper]:
    """Give this thread, which is to end soon, a connection with the limits of a probe.

    It is the connection of the thread, because reading migrations uses the alias.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor == "sqlite":
        entry = connection.settings_dict
        options = {**entry["OPTIONS"], "timeout": _LIMITS.lock_seconds}
        connection.settings_dict = {**entry, "OPTIONS": options}
    try:
        with limited(_LIMITS):
            yield connection
    finally:
        connection.close()


def _check() -> str:
    if trouble := space_trouble() or folder_trouble():
        return trouble
    with probe_connection() as connection:
        return database_trouble(connection)


class _Log:
    """The logging of readiness: each change, without repetition."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reported = ""

    def report(self, reason: str) -> None:
        """Log the reason, or that there is none any more, if it has changed."""
        with self._lock:
            is_news, self._reported = reason != self._reported, reason
        if is_news and reason:
            logger.error("/health/ready is unhealthy: %s", reason)
        elif is_news:
            logger.info("/health/ready is healthy again")


_log = _Log()
_ready = SharedCheck(_check, late=_LATE_HERE)
PROBES: Final[dict[str, Probe]] = {
    "/health/live": nothing_to_check,
    "/health/ready": readiness,
}


def _answer(path: str, probe: Probe) -> HttpResponse:
    try:
        reason = probe()
    except Exception:
        logger.exception("%s failed", path)
        reason = "failed"
    word = "Unhealthy" if reason else "Healthy"
    return HttpResponse(
        word,
        status=503 if reason else 200,
        content_type="text/plain",
        headers={"Cache-Control": "no-store", "Content-Length": str(len(word))},
    )
