"""The three-way merge of a row that a user changed with an object that changed, property
by property: a pure function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

Changes = dict[str, list[Any]]


class Merge(msgspec.Struct, frozen=True):
    """The properties to take from the package, and the conflicts
    ``{property: [last, here, package]}``; the row keeps its other values."""

    taken: frozenset[str]
    conflicts: Changes


def merge(
    differences: Mapping[str, list[Any]],
    last: Mapping[str, Any] | None,
    *,
    package_wins: bool = False,
) -> Merge:
    """Return the merge of the differences ``{property: [here, package]}``.

    ``last`` has the values that the engine wrote last to the properties that users have
    changed since then. If it is None, they aren't known, and every difference is a
    conflict. If the package wins, its values are taken in conflicts.
    """
    taken, conflicts = set(), {}
    for name, (here, package) in differences.items():
        if last is None:
            conflicts[name] = [None, here, package]
        elif name not in last or last[name] == here:
            taken.add(name)
        elif last[name] != package:
            conflicts[name] = [last[name], here, package]
    if package_wins:
        return Merge(frozenset(taken | conflicts.keys()), {})
    return Merge(frozenset(taken), conflicts)
