"""`manage.py serve`: runs the startup sequence, then scheduler and server in one
process."""

from __future__ import annotations

import errno
import gc
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.core.wsgi import get_wsgi_application

from importer.services import start_queued_runs, stop_runs
from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from platform_site.accounts.services import default_password_is_unchanged
from platform_site.scheduling.scheduler import start_scheduler, stop_scheduler
from platform_site.settings.configuration import Configuration, active
from platform_site.settings.listen import Endpoint, endpoints, metrics_endpoint
from platform_site.site.archives.backup_settings import backup_settings
from platform_site.site.archives.service import regular_archives
from platform_site.site.host.certificate import check_certificate
from platform_site.site.host.database_check import daily_check
from platform_site.site.host.early_stop import StartStopped
from platform_site.site.host.metrics_endpoint import MetricsEndpoint
from platform_site.site.host.server import bind_all, cannot_listen, serve
from platform_site.site.host.service_manager import ServiceManager
from platform_site.site.host.spool_folder import use_spool_folder
from platform_site.site.host.start_warnings import start_warnings
from platform_site.site.host.startup import started

if TYPE_CHECKING:
    from platform_site.nodes.node import Node

# Runs get the signal too, and stop between two objects.
_FOR_RUNS_SECONDS = 5
_FOR_JOBS_SECONDS = 3
logger = logging.getLogger("platform.host")


class Command(BaseCommand):
    """The command that starts the installation and serves it until a signal
    (OPEN-92)."""

    help = "Starts the installation and serves it on ASPNETCORE_URLS."
    # The checks would open the database before its folder exists.
    requires_system_checks = []

    def handle(self, *_arguments: Any, **_options: Any) -> None:
        """Start and serve; exit with status 0 when asked to stop."""
        configuration = active()
        # First, so that a bad address, an unreadable certificate or a used port stops
        # the start before anything is changed. Nothing listens on the ports yet.
        addresses = endpoints(configuration.settings)
        own = metrics_endpoint(configuration.settings)
        everywhere = (*addresses, *(() if own is None else (own,)))
        check_certificate(configuration.settings, everywhere)
        backup_settings(configuration)
        listening = bind_all(everywhere)
        ServiceManager(os.environ).say("STATUS=Starting; migrations may take a while")
        with suppress(StartStopped), started(configuration):
            for warning in start_warnings(configuration, addresses):
                logger.warning("%s", warning)
            hint = _sign_in_hint()
            use_spool_folder(configuration.data_folder)
            node = _begin_work()
            try:
                with _regular_work(configuration), _reporting_ports(everywhere):
                    serve(
                        get_wsgi_application(),
                        listening,
                        configuration.settings,
                        on_started=lambda: self._ready(addresses, hint),
                        on_stopping=lambda: _stop(node),
                        metrics=_metrics(configuration),
                    )
            finally:
                # Before the next server may use the same data folder.
                stop_runs(wait_seconds=_FOR_RUNS_SECONDS)
                stop_scheduler(wait_seconds=_FOR_JOBS_SECONDS)
                if node is not None:
                    node.stop(wait_seconds=_FOR_JOBS_SECONDS)
        self.stdout.write("Stopped.")

    def _ready(self, addresses: tuple[Endpoint, ...], hint: str) -> None:
        # Loaded code stays for good: searching it for garbage, every few seconds of an
        # import, delayed all requests by 90 ms.
        gc.collect()
        gc.freeze()
        for address in addresses:
            self.stdout.write(f"Platform is served at {address.url}")
        if hint:
            self.stdout.write(hint)
        # With a pipe the lines would wait for a full buffer.
        self.stdout.flush()


@contextmanager
def _regular_work(configuration: Configuration) -> Iterator[None]:
    with daily_check(configuration), regular_archives(configuration):
        yield


@contextmanager
def _reporting_ports(addresses: Sequence[Endpoint]) -> Iterator[None]:
    """Explain it if another process has taken a port at the same time."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        urls = ", ".join(one.url for one in addresses)
        raise cannot_listen(urls, error.strerror) from error


def _metrics(configuration: Configuration) -> MetricsEndpoint | None:
    settings = configuration.settings
    key = settings.text("Platform:Metrics:Key")
    if not key and not settings.text("Platform:Metrics:Url"):
        return None
    # Its library takes memory that most installations can spare.
    from platform_site.site.metrics.source import (  # noqa: PLC0415 - as said above
        Metrics,
    )

    return MetricsEndpoint(Metrics(), key)


def _begin_work() -> Node | None:
    """Start what runs beside the server; return the node if it is one of several."""
    if not settings.PLATFORM_NODES:
        start_scheduler()
        start_queued_runs()
        return None
    # Its library is loaded in this case only.
    from platform_site.nodes.node import Node  # noqa: PLC0415 - as said above

    node = Node()
    node.start()
    return node


def _stop(node: Node | None) -> None:
    """Prevent new work after a signal."""
    if node is not None:
        node.stop()
    stop_scheduler()
    stop_runs()


def _sign_in_hint() -> str:
    if not default_password_is_unchanged():
        return ""
    return (
        f"Sign in as admin with the password {DEFAULT_ADMIN_PASSWORD}, and change it "
        "right away."
    )
