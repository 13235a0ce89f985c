"""The earlier name of an object, which is not part of its hash."""

from __future__ import annotations

from typing import Any, NamedTuple

from importer.package.check import ID
from importer.package.hashing import source_hash

WAS = "$was"
"""The key of an object that had another ``$id`` in earlier versions of its package."""


class EarlierName(NamedTuple):
    """What an object gives as its earlier ``$id``, and its hash with that."""

    id: Any
    source_hash: str


def taken_out(item: dict[str, Any]) -> EarlierName:
    """Take the earlier name out of an object that has one."""
    earlier = item.pop(WAS)
    return EarlierName(earlier, source_hash({**item, ID: earlier}))
