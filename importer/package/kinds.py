"""Describe the step kinds: which key names one, which keys it may have.

``dictionary`` is built in; other apps add theirs through the registry.
"""

from __future__ import annotations

import msgspec

from importer.package.shapes import OnChange


class StepKind(msgspec.Struct, frozen=True):
    """Describe a step kind by its key, its optional keys and its default policy."""

    key: str
    keys: tuple[str, ...]
    on_change: OnChange
    title: str


DICTIONARY = StepKind(
    key="dictionary",
    keys=("match", "onChange", "onUserModified", "onDeleted"),
    on_change=OnChange.UPDATE,
    title="Objects of a catalog",
)
