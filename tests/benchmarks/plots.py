"""Bar charts as SVG."""

from __future__ import annotations

import statistics
from html import escape

from tests.benchmarks.tables import number

_BAR, _GAP, _LEFT, _WIDTH = 20, 8, 230, 720
_STYLE = (
    "text { font: 13px system-ui, sans-serif; fill: #333 }"
    " .title { font-weight: bold } .ours { fill: #1f6feb } .other { fill: #b8c0cc }"
    " .spread { stroke: #333 }"
)


def chart(title, bars):
    """Return a chart of ``{label: values}``: the bar is their median, the line across
    its end their spread. What is ours has a colour of its own."""
    height = 40 + len(bars) * (_BAR + _GAP)
    most = max(max(values) for values in bars.values())
    scale = (_WIDTH - _LEFT - 80) / most
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="8" y="20">{escape(title)}</text>',
    ]
    for place, (label, values) in enumerate(bars.items()):
        parts += _bar(label, values, 34 + place * (_BAR + _GAP), scale)
    return "\n".join([*parts, "</svg>", ""])


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
