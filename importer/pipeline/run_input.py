"""The input of a run, the same for all its windows and objects."""

from __future__ import annotations

from typing import Any, BinaryIO

import msgspec

from importer.package.shapes import Header
from importer.package.tokens import Moment
from importer.pipeline.memory import Memory
from importer.pipeline.planned_references import PlannedReferences
from importer.pipeline.ports import RefreshUser, Targets
from importer.pipeline.run_settings import RunSettings


class RunInput(msgspec.Struct, frozen=True):
    """A checked package, its user, and the options."""

    source: BinaryIO
    targets: Targets
    memory: Memory
    settings: RunSettings
    header: Header
    moment: Moment
    user: Any
    refresh: RefreshUser
    references: PlannedReferences
