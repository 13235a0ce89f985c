"""The objects of one window, passed from the window importer to the object importer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from importer.package.shapes import Step
from importer.pipeline.decide import Decision
from importer.pipeline.memory import CodeUse
from importer.pipeline.ports import Target
from importer.pipeline.source_copies import SourceCopies
from importer.pipeline.values import Entry, ExistingRow, ObjectContent
from importer.pipeline.window import Window


class Batch(msgspec.Struct, frozen=True):
    """The objects of one window, located, decided and loaded.

    ``existing`` has the marked rows by object id; the other attributes are by object
    number. Objects that are only adopted if a row matches have no decision yet, and
    settled objects may have no content. ``last_imported`` has what ``Target`` returns of
    the rows to be merged. ``retried`` is true for the second attempt at
    an object whose row somebody else changed.
    """

    step: Step
    target: Target
    entries: list[Entry]
    existing: Mapping[str, ExistingRow]
    decisions: Mapping[int, Decision]
    contents: Mapping[int, ObjectContent]
    code_uses: Mapping[int, list[CodeUse]]
    window: Window
    copies: SourceCopies
    last_imported: dict[int, Mapping[str, Any]]
    retried: bool
