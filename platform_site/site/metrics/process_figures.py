"""The metrics of the process and of its machine, which need no database."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator

import django
from django.db import connection
from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, InfoMetricFamily
from prometheus_client.registry import Collector

from licensing.licence import LicenceState
from licensing.services import current_licence
from platform_site import __version__
from platform_site.database.failures import counted_failures
from platform_site.maintenance import current_maintenance
from platform_site.site.archives.last_backup import failures, last_backup_taken_at
from platform_site.site.host.metrics_endpoint import ServerFigures
from platform_site.site.host.server_lock import is_lock_held
from platform_site.site.metrics.snapshot import gauge, gauges
from platform_site.site.status.disk_space import disk_spaces
from platform_site.site.status.health import readiness


class ServerCollector(Collector):
    """The metrics of this server."""

    def __init__(self) -> None:
        self.figures: Callable[[], ServerFigures] | None = None

    def describe(self) -> Iterable[Metric]:
        """Return nothing: what is there is known when it is read."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        versions = {
            "version": __version__,
            "python": platform.python_version(),
            "django": django.get_version(),
            "database": connection.vendor,
        }
        yield InfoMetricFamily("platform_build", "Versions.", versions)
        yield gauge(
            "ready",
            "Whether requests can be served, as on /health/ready.",
            not readiness(),
        )
        yield gauge(
            "maintenance",
            "Whether people get a message instead of pages.",
            current_maintenance() is not None,
        )
        yield gauge(
            "server_lock_held",
            "Whether this server holds the lock of its database.",
            is_lock_held(),
        )
        failures = CounterMetricFamily(
            "platform_database_failures",
            "Requests that failed because of the database, a full disk or a bucket.",
            labels=("reason",),
        )
        for failure, count in counted_failures().items():
            failures.add_metric((failure.value,), count)
        yield failures
        yield from _licence()
        if self.figures is not None:
            yield from _server(self.figures())


def disk_figures() -> Iterator[Metric]:
    """Yield the metrics of disks and backups, which a slow disk can delay."""
    spaces = disk_spaces()
    yield gauges(
        "disk_free_bytes",
        "Free bytes of the disk of a folder.",
        "folder",
        [(str(space.folder), space.free) for space in spaces],
    )
    yield gauges(
        "disk_wanted_bytes",
        "Free bytes below which the start page warns.",
        "folder",
        [(str(space.folder), space.wanted) for space in spaces],
    )
    taken = last_backup_taken_at()
    yield gauge(
        "backup_newest_timestamp_seconds",
        "When the newest backup in the folder of backups was taken, 0 without one.",
        0 if taken is None else taken.timestamp(),
    )
    yield gauges(
        "backup_failed",
        "Whether the last backup, off-site copy or restore drill failed.",
        "what",
        [(what, bool(reason)) for what, reason in failures().items()],
    )


def _licence() -> Iterator[Metric]:
    licence = current_licence()
    yield gauges(
        "licence_state",
        "1 for the state of the licence.",
        "state",
        [(state.value, state is licence.state) for state in LicenceState],
    )
    if licence.terms is not None:
        yield gauge(
            "licence_end_timestamp_seconds",
            "When the licence ends.",
            licence.terms.expires_at.timestamp(),
        )


def _server(figures: ServerFigures) -> Iterator[Metric]:
    yield gauge("threads", "Threads for requests.", figures.threads)
    yield gauge("threads_busy", "Threads that handle a request.", figures.threads_busy)
    yield gauge(
        "requests_waiting", "Requests without a thread yet.", figures.requests_waiting
    )
    yield gauge("connections", "Open connections of clients.", figures.connections)
    yield gauges(
        "transit_used_bytes",
        "Bytes of requests and responses in transit.",
        "budget",
        [(name, budget.used_bytes) for name, budget in figures.budgets.items()],
    )
    yield gauges(
        "transit_limit_bytes",
        "Most bytes of requests and responses in transit.",
        "budget",
        [(name, budget.most_bytes) for name, budget in figures.budgets.items()],
    )
