"""The loading of a window: everything its objects need, in one query per table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from importer.package.check import ID
from importer.package.fields import TargetSpec
from importer.package.references import keys_named
from importer.package.shapes import ObjectError, Step
from importer.pipeline.locate import match_key
from importer.pipeline.memory import Memory
from importer.pipeline.ports import Target, Targets
from importer.pipeline.resolve import Resolver
from importer.pipeline.values import ExistingRow, ObjectContent
from importer.pipeline.window import Window


def load_codes(
    window: Window, targets: Targets, memory: Memory, numbers: range
) -> set[tuple[str, str]]:
    """Load the rows of every ``$code`` of the window; return the unknown codes."""
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
    contents: list[ObjectContent],
    existing: Mapping[str, ExistingRow],
) -> None:
    """Load the rows that objects refer to, and those that they may write."""
    wanted: dict[str, list[int]] = {spec.name: []}
    for one in contents:
        for to, row_id in resolver.known_keys(step, one.item, window):
            wanted.setdefault(to, []).append(row_id)
        row = existing.get(one.entry.id)
        if row is not None:
            wanted[spec.name].append(row.row_id)
    for to, row_ids in wanted.items():
        window.load_rows(to, row_ids)
    # Only an existing row can close a cycle, so only then are ancestors loaded.
    if spec.chain and (step.match or any(one.entry.id in existing for one in contents)):
        window.load_chains(spec.name, wanted[spec.name])


def load_held(window: Window, target: Target, row_ids: Iterable[int]) -> None:
    """Load the references of rows that may be restored or posted unchanged."""
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
    """Load the rows that copies of other rows refer to."""
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
    unmarked: Iterable[ObjectContent],
    *,
    own: str,
) -> list[int]:
    """Load the rows that objects of a package may adopt; return their keys."""
    keys = []
    for one in unmarked:
        named = {n: one.item[n] for n in (ID, *step.match) if n in one.item}
        try:
            values = resolver.values(step, named, window)
        except ObjectError:
            continue  # it refers to a row that doesn't exist yet, so no row can match
        key = match_key(target, step.match, values)
        if key is not None:
            keys.append(key)
    packages = step.take_over
    found = window.load_adoptable(step.target, step.match, keys, packages, own=own)
    if target.spec.chain:
        window.load_chains(step.target, found)
    return found


def load_unique(
    window: Window,
    resolver: Resolver,
    target: Target,
    step: Step,
    contents: list[ObjectContent],
    *,
    existing: Mapping[str, ExistingRow],
) -> None:
    """Load the rows that have the unique values of objects or restored rows."""
    spec = target.spec
    for place, name in enumerate(spec.unique):
        wanted = list(_wanted(window, resolver, target, step, name, contents=contents))
        values = [value for _one, value in wanted]
        for one in contents:
            row = existing.get(one.entry.id)
            if row is not None and row.deleted:
                loaded = window.row(spec.name, row.row_id)
                if loaded is not None:
                    values.append(target.row_values(loaded, spec.unique)[place])
        asked = [value for value in values if value is not None and value != ""]
        window.load_live(spec.name, name, asked)
        _load_holders(window, target, name, wanted, existing)


def _wanted(
    window: Window,
    resolver: Resolver,
    target: Target,
    step: Step,
    name: str,
    *,
    contents: list[ObjectContent],
) -> Iterator[tuple[ObjectContent, Any]]:
    """Yield the objects that give a property, with its value as rows have it."""
    refers = bool(target.spec.field(name).to)
    for one in contents:
        given = {part: one.item[part] for part in (ID, name) if part in one.item}
        if refers:
            try:
                given = resolver.values(step, given, window)
            except ObjectError:
                continue  # what it refers to is not there yet, so no row has it
        value = target.typed(name, given.get(name))
        if value is not None and value != "":
            yield one, value


def _load_holders(
    window: Window,
    target: Target,
    name: str,
    wanted: Iterable[tuple[ObjectContent, Any]],
    existing: Mapping[str, ExistingRow],
) -> None:
    """Load the rows with the wanted values; no query if there are none."""
    other_rows = []
    for one, value in wanted:
        row = existing.get(one.entry.id)
        own = None if row is None else row.row_id
        holders = window.holders(target.spec.name, name, value)
        other_rows += [holder for holder in holders if holder != own]
    if other_rows:
        window.load_rows(target.spec.name, other_rows)
