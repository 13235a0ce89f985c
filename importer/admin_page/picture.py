"""The picture of a run: for each step, a bar with the shares of its outcomes."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec
from django.utils.translation import gettext as _

from importer.models import ImportRun
from importer.pipeline.report import Counts, Steps
from importer.runs.reading import outcomes_of

# Below this share of the bar nobody would see a part.
_LEAST = 1.5


class Share(msgspec.Struct, frozen=True):
    """An outcome in a bar: its number of objects, its link, and its place in percent."""

    outcome: str
    count: int
    query: str
    x: str
    width: str


class Bar(msgspec.Struct, frozen=True):
    """The outcomes of one step."""

    name: str
    shares: list[Share]


def picture(run: ImportRun, steps: Steps) -> list[Bar]:
    """Return the bars of a run's steps, in their order."""
    return [
        Bar(name_of(key), _shares(run, key, steps[key]))
        for key in sorted(steps, key=_place)
    ]


def name_of(key: str) -> str:
    """Return what people call a step: its number, counted from one, and its target."""
    index, _colon, target = key.partition(":")
    if not index:
        return target
    return _("%(number)s. %(target)s") % {"number": int(index) + 1, "target": target}


def _place(key: str) -> tuple[bool, int, str]:
    index, _colon, target = key.partition(":")
    return not index, int(index or 0), target


def _shares(run: ImportRun, key: str, counts: Counts) -> list[Share]:
    found = {o.value: counts[o] for o in outcomes_of(run) if counts.get(o)}
    every = sum(found.values())
    widths = {o: max(_LEAST, 100 * count / every) for o, count in found.items()}
    scale, x, shares = 100 / sum(widths.values()), 0.0, []
    for outcome, count in found.items():
        width = widths[outcome] * scale
        address = {"run": run.run_id, "outcome": outcome, "step": key}
        place = f"{x:.2f}", f"{width:.2f}"
        shares.append(Share(outcome, count, urlencode(address), *place))
        x += width
    return shares
