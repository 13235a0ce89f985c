"""The peer's models: the same columns as ours, plainly."""

from __future__ import annotations

from tests.benchmarks.peer.models.documents import (
    Balance,
    Document,
    Entry,
    Line,
    Movement,
    Sequence,
)
from tests.benchmarks.peer.models.items import BulkItem, Item, PlainItem, Unit

__all__ = [
    "Balance",
    "BulkItem",
    "Document",
    "Entry",
    "Item",
    "Line",
    "Movement",
    "PlainItem",
    "Sequence",
    "Unit",
]
