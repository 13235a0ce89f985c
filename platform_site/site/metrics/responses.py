"""The metrics of responses: their number and time by route, counted as they are sent."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

# From a small answer to what makes a proxy give up.
SECONDS: Final = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)
OTHER: Final = "other"
_METHODS: Final = frozenset(
    {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
)


class ResponseMetrics:
    """The counter and the histogram of responses.

    Clients choose methods and paths, so both are labels only where they are known.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._count = Counter(
            "platform_http_responses",
            "Responses by method, route and status.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "platform_http_response_seconds",
            "Time of making a response.",
            ("route",),
            buckets=SECONDS,
            registry=registry,
        )
        self._counters: dict[tuple[str, str, int], Counter] = {}
        self._histograms: dict[str, Histogram] = {}

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a response; many threads may do so."""
        route = route or OTHER
        method = method if method in _METHODS else OTHER
        counter = self._counters.get((method, route, status))
        if counter is None:
            counter = self._count.labels(method, route, str(status))
            self._counters[method, route, status] = counter
        counter.inc()
        histogram = self._histograms.get(route)
        if histogram is None:
            histogram = self._histograms[route] = self._seconds.labels(route)
        histogram.observe(seconds)
