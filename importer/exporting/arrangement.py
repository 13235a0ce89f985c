"""The order of exported rows: the same in every installation with the same rows.

Folders come before what is in them, and submitted rows in the order in which they
happened. The rest is by code, compared character by character.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from django.db import connections, models
from django.db.models import F
from django.db.models.functions import Collate
from django.utils.translation import gettext as _

from importer.exporting.selection import Selection
from importer.package.fields import FieldKind
from importer.package.shapes import Problem
from importer.pipeline.row_numbers import number_of

# The collations that compare texts character by character.
_PLAIN = {"sqlite": "BINARY", "postgresql": "C"}


class StepRows(msgspec.Struct, frozen=True):
    """The keys of the rows of one step, in order; ``submit`` is None if its target
    submits nothing."""

    keys: list[Any]
    submit: bool | None


def arranged(selection: Selection, problems: list[Problem]) -> Iterator[StepRows]:
    """Yield the rows of a selection, those of one step together."""
    target = selection.target
    rows = live(selection).order_by(*_order(selection))
    flags = (None,) if not target.spec.submitted else (True, False)
    levels = _levels(selection, rows, problems) if target.spec.chain else None
    if levels is None:
        levels = [[number_of(key) for key in rows.values_list("pk", flat=True)]]
    if flags == (None,):
        yield StepRows([key for level in levels for key in level], None)
        return
    source = target.fields[target.spec.submitted].source
    flagged = rows.filter(**{source: True}).order_by()
    submitted = {number_of(key) for key in flagged.values_list("pk", flat=True)}
    for level in levels:
        for flag in flags:
            yield StepRows([key for key in level if (key in submitted) is flag], flag)


def live(selection: Selection) -> models.QuerySet[Any]:
    """Return the rows of a selection that aren't deleted, in no order."""
    deleted = selection.target.columns.deleted
    rows = selection.rows.order_by()
    return rows.filter(**{deleted: False}) if deleted else rows


def _order(selection: Selection) -> list[Any]:
    spec, fields = selection.target.spec, selection.target.fields
    order: list[Any] = []
    if spec.submitted:
        # What is posted later may use up what was posted before.
        times = [f.name for f in spec.fields if f.kind is FieldKind.DATE_TIME]
        order += [fields[name].source for name in times[:1]]
    if spec.code:
        code = F(fields[spec.code].source)
        plain = _PLAIN.get(connections[selection.rows.db].vendor)
        order.append(Collate(code, plain) if plain else code)
    return [*order, "import_key", "pk"]


def _levels(
    selection: Selection, rows: models.QuerySet[Any], problems: list[Problem]
) -> list[list[Any]]:
    """Return the keys of a tree's rows by their depth."""
    target = selection.target
    chain = target.fields[target.spec.chain].source
    above = rows.filter(**{f"{chain}__isnull": False}).order_by()
    parents = {number_of(key) for (key,) in above.values_list(chain).distinct()}
    pairs = [(number_of(k), number_of(p)) for k, p in rows.values_list("pk", chain)]
    inner = {key: parent for key, parent in pairs if key in parents}
    depths: dict[Any, int] = {}
    levels: list[list[Any]] = []
    for key, parent in pairs:
        depth = _depth(parent, inner, depths)
        if depth is None:
            sentence = _("it is inside itself, so nothing can come before it")
            row = target.rows([key]).get(key)
            problems.append(Problem(f"{target.name} {row}", sentence))
            continue
        while len(levels) <= depth:
            levels.append([])
        levels[depth].append(key)
    return levels


def _depth(parent: Any, inner: dict[Any, Any], depths: dict[Any, int]) -> int | None:
    """Return the depth of a row by its parent, None if its parents are a circle.

    A parent that isn't exported counts as none.
    """
    path: list[Any] = []
    while parent in inner and parent not in depths:
        if parent in path:
            return None
        path.append(parent)
        parent = inner[parent]
    depth = depths.get(parent, -1)
    for each in reversed(path):
        depth += 1
        depths[each] = depth
    return depth + 1
