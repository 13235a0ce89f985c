"""Bar charts and lines over time as SVG."""

from __future__ import annotations

import math
import statistics
from html import escape
from typing import NamedTuple

from tests.benchmarks.tables import number

_BAR, _GAP, _LEFT, _WIDTH = 20, 8, 230, 720
_STYLE = (
    "text { font: 13px system-ui, sans-serif; fill: #333 }"
    " .title { font-weight: bold } .ours { fill: #1f6feb } .other { fill: #b8c0cc }"
    " .spread { stroke: #333 }"
)
_STYLE_OF_LINES = (
    "text { font: 13px system-ui, sans-serif; fill: #333 }"
    " .title { font-weight: bold } .grid { stroke: #dde1e6 }"
    " .dashed { stroke-dasharray: 5 3 } polyline { fill: none; stroke-width: 1.5 }"
)
# Lines over time: the area of the plot, and a colour for each node.
_HEIGHT, _TOP, _BASE, _AXIS, _RIGHT = 260, 56, 230, 56, 690
_COLOURS = ("#1f6feb", "#b35900", "#1a7f37")
_STEPS = 4


class Line(NamedTuple):
    """A line of a plot: its name if it has one, its points, its colour, and whether it is
    dashed."""

    label: str
    points: list
    colour: int = 0
    is_dashed: bool = False


def chart(title, bars):
    """Return a chart of ``{label: values}``: the bar is their median, the line across
    its end their spread. What is ours has a colour of its own."""
    height = 40 + len(bars) * (_BAR + _GAP)
    most = max(max(values) for values in bars.values())
    scale = (_WIDTH - _LEFT - 80) / most
    parts = _head(title, height, _STYLE)
    for place, (label, values) in enumerate(bars.items()):
        parts += _bar(label, values, 34 + place * (_BAR + _GAP), scale)
    return "\n".join([*parts, "</svg>", ""])


def _head(title, height, style):
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'role="img" aria-label="{escape(title)}">',
        f"<style>{style}</style>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="8" y="20">{escape(title)}</text>',
    ]


def lines(title, drawn):
    """Return a plot of lines over minutes; its scale begins at 0, so that what is flat
    looks flat."""
    points = [point for line in drawn for point in line.points]
    far, step = max(x for x, _ in points) or 1, _step(max(y for _, y in points))

    def x_of(minutes):
        return _AXIS + (_RIGHT - _AXIS) * minutes / far

    def y_of(value):
        return _BASE - (_BASE - _TOP) * value / (step * _STEPS)

    parts = _head(title, _HEIGHT, _STYLE_OF_LINES)
    for value in (step * place for place in range(_STEPS + 1)):
        y = y_of(value)
        ends = f'x1="{_AXIS}" x2="{_RIGHT}" y1="{y:.1f}" y2="{y:.1f}"'
        parts.append(f'<line class="grid" {ends}/>')
        place = f'x="{_AXIS - 6}" y="{y + 4:.1f}" text-anchor="end"'
        parts.append(f"<text {place}>{value:,g}</text>")
    every = _minutes(far)
    for minutes in range(0, math.floor(far) + 1, every):
        place = f'x="{x_of(minutes):.1f}" y="{_HEIGHT - 10}" text-anchor="middle"'
        parts.append(f"<text {place}>{minutes} min</text>")
    named = [line for line in drawn if line.label]
    for place, line in enumerate(named):
        parts += _name(line, _AXIS + place * (_RIGHT - _AXIS) / len(named))
    for line in drawn:
        at = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in line.points)
        parts.append(f'<polyline{_stroke(line)} points="{at}"/>')
    return "\n".join([*parts, "</svg>", ""])


def _name(line, left):
    """Yield the name of a line above the plot, with a piece of it."""
    ends = f'x1="{left:.1f}" x2="{left + 22:.1f}" y1="38" y2="38"'
    yield f"<line{_stroke(line)} {ends}/>"
    yield f'<text x="{left + 28:.1f}" y="42">{escape(line.label)}</text>'


def _stroke(line):
    kind = ' class="dashed"' if line.is_dashed else ""
    return f'{kind} stroke="{_COLOURS[line.colour % len(_COLOURS)]}"'


def _step(most):
    """Return a round step; some of them reach the highest value."""
    least = max(most, 1) / _STEPS
    power = 10 ** math.floor(math.log10(least))
    return next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= least)


def _minutes(far):
    """Return after how many minutes there is a label."""
    return next((n for n in (1, 5, 10, 30) if far / n <= 10), 60)


def _bar(label, values, top, scale):
    middle = statistics.median(values)
    width, line, base = middle * scale, top + _BAR / 2, top + _BAR - 5
    low, high = (_LEFT + value * scale for value in (min(values), max(values)))
    kind = "ours" if "ours" in label else "other"
    yield f'<text x="{_LEFT - 8}" y="{base}" text-anchor="end">{escape(label)}</text>'
    yield (
        f'<rect class="{kind}" x="{_LEFT}" y="{top}" width="{max(width, 1):.1f}" '
        f'height="{_BAR}"/>'
    )
    yield (
        f'<line class="spread" x1="{low:.1f}" x2="{high:.1f}" y1="{line}" y2="{line}"/>'
    )
    yield f'<text x="{high + 6:.1f}" y="{base}">{number(middle)}</text>'
