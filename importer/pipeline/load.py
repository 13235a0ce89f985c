"""Load a window: one query per table for all that its objects will ask."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from importer.package.check import ID
from importer.package.fields import TargetSpec
from importer.package.references import keys_named
from importer.package.shapes import ObjectError, OnDeleted, Step
from importer.pipeline.locate import match_key
from importer.pipeline.memory import Memory
from importer.pipeline.ports import Target, Targets
from importer.pipeline.resolve import Resolver
from importer.pipeline.values import Sighting, Visited
from importer.pipeline.window import Window


def load_codes(
    window: Window, targets: Targets, memory: Memory, numbers: range
) -> set[tuple[str, str]]:
    """Load the rows behind every ``$code`` of the window; return what is missing."""
    by_target: dict[str, list[str]] = {}
    for to, code in memory.distinct_codes(numbers):
        by_target.setdefault(to, []).append(code)
    missing = set()
    for to, codes in by_target.items():
        name = targets[to].spec.code
        window.load_live(to, name, codes)
        missing |= {(to, c) for c in codes if not window.holders(to, name, c)}
    return missing


def load_rows(
    window: Window,
    resolver: Resolver,
    step: Step,
    spec: TargetSpec,
    *,
    visited: list[Visited],
    seen: dict[str, Sighting],
) -> None:
    """Load the rows the visited objects name, and those they may rewrite."""
    wanted: dict[str, list[int]] = {spec.name: []}
    for one in visited:
        for to, row_id in resolver.known_keys(step, one.item, window):
            wanted.setdefault(to, []).append(row_id)
        sighting = seen.get(one.entry.id)
        if sighting is not None:
            wanted[spec.name].append(sighting.row_id)
    for to, row_ids in wanted.items():
        window.load_rows(to, row_ids)
    # Only a row that exists can close a cycle, so only then are ancestors asked for.
    if spec.chain and (step.match or any(one.entry.id in seen for one in visited)):
        window.load_chains(spec.name, wanted[spec.name])


def load_held(
    window: Window, target: Target, step: Step, row_ids: Iterable[int]
) -> None:
    """Load what rows refer to that may be restored, or posted, as they are."""
    if not (step.submit or step.policy.on_deleted is OnDeleted.RESTORE):
        return
    wanted: dict[str, list[int]] = {}
    for row_id in row_ids:
        row = window.row(target.spec.name, row_id)
        for to, key in target.named_by(row) if row is not None else ():
            wanted.setdefault(to, []).append(key)
    for to, keys in wanted.items():
        window.load_rows(to, keys)


def load_named(
    window: Window, target: Target, copies: Iterable[dict[str, Any]]
) -> None:
    """Load the rows that copies of other rows name."""
    wanted: dict[str, list[int]] = {}
    for values in copies:
        for to, row_id in keys_named(values, target.spec.fields):
            wanted.setdefault(to, []).append(row_id)
    for to, row_ids in wanted.items():
        window.load_rows(to, row_ids)


def load_matches(
    window: Window,
    resolver: Resolver,
    target: Target,
    step: Step,
    unmarked: Iterable[Visited],
) -> list[int]:
    """Load the unmarked rows the objects may adopt; return their keys."""
    keys = []
    for one in unmarked:
        named = {n: one.item[n] for n in (ID, *step.match) if n in one.item}
        try:
            values = resolver.values(step, named, window)
        except ObjectError:
            continue  # what it refers to is not there yet, so no row can match
        key = match_key(target, step.match, values)
        if key is not None:
            keys.append(key)
    found = window.load_unmarked(step.target, step.match, keys)
    if target.spec.chain:
        window.load_chains(step.target, found)
    return found


def load_unique(
    window: Window,
    target: Target,
    visited: list[Visited],
    seen: dict[str, Sighting],
) -> None:
    """Load who holds the unique values the objects want, or bring back."""
    spec = target.spec
    for place, name in enumerate(spec.unique):
        values: list[Any] = [target.typed(name, one.item.get(name)) for one in visited]
        for one in visited:
            sighting = seen.get(one.entry.id)
            if sighting is not None and sighting.deleted:
                row = window.row(spec.name, sighting.row_id)
                if row is not None:
                    values.append(target.row_values(row, spec.unique)[place])
        asked = [value for value in values if value is not None and value != ""]
        window.load_live(spec.name, name, asked)
        _load_holders(window, target, name, visited, seen)


def _load_holders(
    window: Window,
    target: Target,
    name: str,
    visited: list[Visited],
    seen: dict[str, Sighting],
) -> None:
    """Load the rows that stand in the way of objects: a query only if there are any."""
    in_the_way = []
    for one in visited:
        value = target.typed(name, one.item.get(name))
        if value is None or value == "":
            continue
        sighting = seen.get(one.entry.id)
        own = None if sighting is None else sighting.row_id
        holders = window.holders(target.spec.name, name, value)
        in_the_way += [holder for holder in holders if holder != own]
    if in_the_way:
        window.load_rows(target.spec.name, in_the_way)
