"""All metrics of this process, and their text."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import choose_encoder

from platform_site.site.host.metrics_endpoint import ServerFigures
from platform_site.site.metrics.database_figures import database_figures
from platform_site.site.metrics.process_figures import ServerCollector, disk_figures
from platform_site.site.metrics.responses import ResponseMetrics
from platform_site.site.metrics.snapshot import Snapshot
from platform_site.site.web.access_log import observe_responses

# Writing thousands of series takes time that requests need.
_KEPT_SECONDS: Final = 1.0


class Metrics:
    """The metrics of this process from its start on; see MetricsSource."""

    def __init__(self) -> None:
        # Twice as many series, for what nobody asks.
        disable_created_metrics()  # type: ignore[no-untyped-call] # it has no types
        self._registry = CollectorRegistry()
        self._server = ServerCollector()
        self._lock = threading.Lock()
        self._written: dict[str, tuple[float, bytes]] = {}
        ProcessCollector(registry=self._registry)
        self.stop = observe_responses(ResponseMetrics(self._registry).observe)
        for collector in (
            self._server,
            Snapshot("disk", disk_figures),
            Snapshot("database", database_figures),
        ):
            self._registry.register(collector)

    def watch(self, figures: Callable[[], ServerFigures]) -> None:
        """Include the figures of the server."""
        self._server.figures = figures

    def render(self, accepted: str) -> tuple[bytes, str]:
        """Return the metrics and their content type, as an Accept header asks."""
        encode, kind = choose_encoder(accepted)
        with self._lock:
            at, content = self._written.get(kind, (0.0, b""))
            if not content or time.monotonic() - at >= _KEPT_SECONDS:
                content = encode(self._registry)
                self._written[kind] = (time.monotonic(), content)
        return content, kind
