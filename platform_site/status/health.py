"""Answers the two health paths before anything else sees the request, with one word for
the probe and the reason in the log for the operator."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Final

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpResponse, HttpResponseNotAllowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

logger = logging.getLogger("platform.status")


class HealthMiddleware:
    """Serve `/health/live` and `/health/ready` to anybody, for any Host (HOST-124..129).

    Standing first, it is exempt from the host check, sessions and any redirect.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        probe = PROBES.get(request.path_info)
        if probe is None:
            return self._get_response(request)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        return _answer(request.path_info, probe)


def nothing_to_check() -> str:
    """Return no reason: a process that answers is alive (OPEN-120)."""
    return ""


def database_trouble() -> str:
    """Return why the database cannot serve requests, or nothing when it can."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite" and not Path(name).is_file():
        # Opening it would create an empty one, and hide that the file is gone.
        return f"The database file {name} is missing."
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if pending:
        names = ", ".join(str(migration) for migration, _ in pending[:5])
        return f"{len(pending)} migrations are pending, first {names}."
    return ""


PROBES: Final[dict[str, Callable[[], str]]] = {
    "/health/live": nothing_to_check,
    "/health/ready": database_trouble,
}


def _answer(path: str, probe: Callable[[], str]) -> HttpResponse:
    try:
        reason = probe()
    except Exception as error:  # noqa: BLE001 - whatever fails, a probe gets its word
        reason = str(error) or type(error).__name__
    if reason:
        logger.error("%s is unhealthy: %s", path, reason)
    word = "Unhealthy" if reason else "Healthy"
    return HttpResponse(
        word,
        status=503 if reason else 200,
        content_type="text/plain",
        headers={"Cache-Control": "no-store", "Content-Length": str(len(word))},
    )
