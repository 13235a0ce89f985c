"""Plots as SVG, without scripts and inline styles: classes give the colours, so that
they follow the theme.

The drawing is one picture with a text alternative. In front of it lie links for the
pointer; keyboards and screen readers have the same links in the table beneath.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from math import ceil
from typing import Any, Final

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from platform_site.plots import Plot, Point, Shape
from platform_site.plots.scale import Scale

_WIDTH: Final = 360
_HEIGHT: Final = 190
_TOP: Final = 10
_BOTTOM: Final = _HEIGHT - 22
_ROW: Final = 24
_GAP: Final = 6
# Of a character at the size of texts in plots.
_CHARACTER: Final = 6.4
_LONGEST_NAME: Final = 20
# Three textures besides none, so that colour isn't the only sign of a series.
_TEXTURES: Final = ("M0 6L6 0", "M0 3H6", "M3 0V6")


def drawing(plot: Plot) -> SafeString:
    """Return the picture of a plot with links to what is behind its points."""
    if plot.shape is Shape.ROWS:
        height, parts, areas = _rows(plot)
    else:
        height, (parts, areas) = _HEIGHT, _columns(plot)
    picture = _tag(
        "g", *parts, role="img", aria_label=f"{plot.subject}: {plot.finding}"
    )
    links = (
        _area(plot, point, area) for point, area in zip(plot.points, areas, strict=True)
    )
    return _tag(
        "svg",
        _textures(plot),
        picture,
        *links,
        class_="plot",
        viewBox=f"0 0 {_WIDTH} {height}",
        width=_WIDTH,
        height=height,
    )


def texture_of(plot: Plot, place: int) -> str:
    """Return the address of the texture of a series, empty for the first one."""
    return f"#plot-{plot.key}-texture-{place}" if place else ""


Area = tuple[float, float, float, float]


def _columns(plot: Plot) -> tuple[list[SafeString], list[Area]]:
    """Return the parts of a plot whose points stand beside each other, and the area of
    each point."""
    scale = Scale(_heights(plot))
    labels = scale.labels()
    left = 8 + _CHARACTER * max(map(len, labels))
    slot = (_WIDTH - left - 2) / len(plot.points)

    def y(value: Any) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * scale.share(value)

    parts = [
        part
        for tick, label in zip(scale.ticks, labels, strict=True)
        for part in (
            _line(left, y(tick), _WIDTH - 2, y(tick), "plot-grid"),
            _text(label, left - 5, y(tick) + 4, "end"),
        )
    ]
    centres = [left + slot * (place + 0.5) for place in range(len(plot.points))]
    if plot.shape is Shape.LINE:
        parts += _lines(plot, centres, y)
    else:
        parts += _bars(plot, centres, slot * 0.7, y)
    parts += _axis([point.label for point in plot.points], centres, left, slot)
    height = float(_BOTTOM - _TOP)
    areas = [(x - slot / 2, float(_TOP), slot, height) for x in centres]
    return parts, areas


def _heights(plot: Plot) -> Iterator[Any]:
    """Yield the values that the scale must contain."""
    for point in plot.points:
        if plot.shape is Shape.STACKED:
            yield sum(point.values)
        else:
            yield from point.values


def _bars(
    plot: Plot, centres: Sequence[float], width: float, y: Any
) -> Iterator[SafeString]:
    """Yield the columns; the series of a point stand beside or above each other."""
    stacked = plot.shape is Shape.STACKED
    each = width if stacked else width / max(1, len(plot.series))
    for point, centre in zip(plot.points, centres, strict=True):
        left, below = centre - width / 2, Decimal(0)
        for place, value in enumerate(point.values):
            start = below if stacked else Decimal(0)
            top, bottom = sorted((y(start), y(start + value)))
            yield from _bar(plot, place, (left, top, each, bottom - top))
            below, left = start + value, left if stacked else left + each


def _bar(plot: Plot, place: int, area: Area) -> Iterator[SafeString]:
    left, top, width, height = area
    if height <= 0 or width <= 0:
        return
    box = {"x": left, "y": top, "width": width, "height": height}
    yield _tag("rect", **box, class_=_colour(place))
    if texture := texture_of(plot, place):
        yield _tag("rect", **box, fill=f"url({texture})")


def _lines(plot: Plot, centres: Sequence[float], y: Any) -> Iterator[SafeString]:
    """Yield a line for each series, with a dot at each point."""
    for place in range(len(plot.series)):
        dots = [
            (x, y(point.values[place]))
            for x, point in zip(centres, plot.points, strict=True)
        ]
        for (x1, y1), (x2, y2) in pairwise(dots):
            yield _line(x1, y1, x2, y2, f"plot-line {_colour(place)}")
        for cx, cy in dots:
            yield _tag("circle", cx=cx, cy=cy, r=3.0, class_=_colour(place))


def _axis(
    labels: Sequence[str], centres: Sequence[float], left: float, slot: float
) -> Iterator[SafeString]:
    """Yield as many labels as there is room for, always the last one."""
    widest = _CHARACTER * max(map(len, labels))
    every = max(1, ceil((widest + 4) / slot))
    for place, (label, x) in enumerate(zip(labels, centres, strict=True)):
        if (len(labels) - 1 - place) % every == 0:
            half = _CHARACTER * len(label) / 2
            inside = min(max(x, left + half), _WIDTH - half)
            yield _text(label, inside, _HEIGHT - 6, "middle")


def _rows(plot: Plot) -> tuple[int, list[SafeString], list[Area]]:
    """Return the height and parts of a plot with a row for each point, and the area of
    each."""
    names = [_shortened(point.label) for point in plot.points]
    values = [plot.shown(point.values[0]) for point in plot.points]
    scale = Scale(point.values[0] for point in plot.points)
    left = 8 + _CHARACTER * max(map(len, names))
    right = _WIDTH - 8 - _CHARACTER * max(map(len, values))
    zero = left + (right - left) * scale.share(0)
    height = _ROW * len(plot.points) + 2 * _GAP
    parts = [_line(zero, _GAP, zero, height - _GAP, "plot-grid")]
    areas = []
    for place, point in enumerate(plot.points):
        top = _GAP + _ROW * place
        start, end = sorted(
            (zero, left + (right - left) * scale.share(point.values[0]))
        )
        parts.append(_text(names[place], left - 6, top + 16, "end"))
        parts += _bar(plot, 0, (start, top + 4, end - start, _ROW - 8))
        parts.append(_text(values[place], _WIDTH - 2, top + 16, "end"))
        areas.append((0.0, float(top), float(_WIDTH), float(_ROW)))
    return height, parts, areas


def _area(plot: Plot, point: Point, area: Area) -> SafeString:
    """Return the area of a point, which names its numbers and leads to its rows."""
    x, y, width, height = area
    title = _tag("title", said(plot, point))
    box = _tag("rect", title, x=x, y=y, width=width, height=height, class_="plot-area")
    # Reached in the table beneath; here each point would be one more stop.
    return _tag("a", box, href=point.link, tabindex=-1) if point.link else box


def said(plot: Plot, point: Point) -> str:
    """Return the name of a point and its numbers."""
    shown = [plot.shown(value) for value in point.values]
    if len(shown) > 1:
        pairs = zip(plot.series, shown, strict=True)
        shown = [f"{series} {number}" for series, number in pairs]
    return f"{point.name}: {', '.join(shown)}"


def _textures(plot: Plot) -> SafeString:
    patterns = (
        _tag(
            "pattern",
            _tag("path", d=lines, class_="plot-texture"),
            id=texture_of(plot, place).removeprefix("#"),
            width=6,
            height=6,
            patternUnits="userSpaceOnUse",
        )
        for place, lines in enumerate(_TEXTURES[: len(plot.series) - 1], 1)
    )
    return _tag("defs", *patterns)


def _colour(place: int) -> str:
    return f"plot-{place % 4 + 1}"


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> SafeString:
    return _tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def _text(text: str, x: float, y: float, anchor: str) -> SafeString:
    return _tag("text", text, x=x, y=y, text_anchor=anchor)


def _tag(name: str, *content: Any, **attributes: Any) -> SafeString:
    """Return an element; names of attributes have hyphens where Python has none."""
    given: Iterable[tuple[str, Any]] = (
        (
            key.removesuffix("_").replace("_", "-"),
            f"{value:.1f}" if isinstance(value, float) else value,
        )
        for key, value in attributes.items()
    )
    inside = format_html_join("", "{}", ((conditional_escape(c),) for c in content))
    pairs = format_html_join("", ' {}="{}"', given)
    return format_html("<{}{}>{}</{}>", name, pairs, inside, name)
