"""What changes in a saved source, as a project records it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from importer import registry
from importer.models import TableSource

_NOTHING: tuple[Any, ...] = (None, [], "")


def record_change(
    action: str,
    source: TableSource,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> None:
    """Have a change of a source recorded, in the transaction of the change.

    ``before`` and ``after`` are its values as the API shows them. If none of them has
    changed, nothing is recorded.
    """
    pairs = {name: [before.get(name), after.get(name)] for name in {**before, **after}}
    changes = {
        name: [was, now]
        for name, (was, now) in pairs.items()
        if was != now and not (was in _NOTHING and now in _NOTHING)
    }
    if changes:
        registry.source_hooks().record(action, source, changes)
