"""Metrics that are read where they lie, such as in the database: at most once in a few
seconds, and never for longer than a scrape may take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from platform_site.site.status.shared_check import LIMIT_SECONDS, SharedCheck

KEPT_SECONDS: Final = 5.0
Reading = Callable[[], Iterable[Metric]]


class Snapshot(Collector):
    """The metrics of one place, and whether it could be read.

    What can't be read isn't shown: an old value would look like a present one.
    """

    def __init__(self, place: str, read: Reading) -> None:
        self._place = place
        self._read = read
        self._metrics: list[Metric] = []
        self._check = SharedCheck(
            self._refresh,
            late=f"not read within {LIMIT_SECONDS:g} s",
            kept_seconds=KEPT_SECONDS,
        )

    def describe(self) -> Iterable[Metric]:
        """Return nothing: what is there is known when it is read."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics, read again if they are old."""
        trouble = self._check()
        yield GaugeMetricFamily(
            f"platform_{self._place}_up",
            f"Whether the figures of the {self._place} could be read.",
            float(not trouble),
        )
        if not trouble:
            yield from self._metrics

    def _refresh(self) -> str:
        self._metrics = list(self._read())
        return ""


def gauge(name: str, meaning: str, value: float) -> Metric:
    """Return a metric without labels."""
    return GaugeMetricFamily(f"platform_{name}", meaning, float(value))


def gauges(
    name: str, meaning: str, label: str, values: Iterable[tuple[str, float]]
) -> Metric:
    """Return a metric with a value for each value of a label."""
    family = GaugeMetricFamily(f"platform_{name}", meaning, labels=(label,))
    for text, value in values:
        family.add_metric((text,), float(value))
    return family
