"""The changes of a row as reports show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from importer.pipeline.merge import Changes

_LONGEST = 200


def shown_changes(changes: Mapping[str, Sequence[Any]]) -> Changes:
    """Return changes with long texts cut."""
    return {name: [_short(value) for value in pair] for name, pair in changes.items()}


def _short(value: Any) -> Any:
    """Cut a long text, which a report need not repeat (OPEN-37)."""
    if isinstance(value, str) and len(value) > _LONGEST:
        return value[:_LONGEST] + "…"
    return value
