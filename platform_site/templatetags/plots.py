"""The template tag that shows a plot: its finding, the picture, and a table."""

from __future__ import annotations

from typing import Any

from django import template

from platform_site.plots import Plot
from platform_site.plots.svg import drawing, texture_of

register = template.Library()


@register.inclusion_tag("plots/plot.html")
def plot(plot: Plot) -> dict[str, Any]:
    """Return what the template of a plot shows."""
    several = len(plot.series) > 1
    return {
        "plot": plot,
        "drawing": drawing(plot) if plot.points else "",
        "legend": [
            (place + 1, series, texture_of(plot, place))
            for place, series in enumerate(plot.series if several else ())
        ],
        "rows": [
            (
                point.name,
                point.link,
                [
                    (series, plot.shown(value))
                    for series, value in zip(plot.series, point.values, strict=True)
                ],
            )
            for point in plot.points
        ],
    }
