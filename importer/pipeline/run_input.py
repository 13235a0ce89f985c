"""What a run works on, the same for every window and object of it."""

from __future__ import annotations

from typing import Any, BinaryIO

import msgspec

from importer.package.shapes import Header
from importer.package.tokens import Moment
from importer.pipeline.memory import Memory
from importer.pipeline.ports import RefreshUser, Targets
from importer.pipeline.run_settings import RunSettings


class RunInput(msgspec.Struct, frozen=True):
    """A checked package, who imports it, and how."""

    source: BinaryIO
    targets: Targets
    memory: Memory
    settings: RunSettings
    header: Header
    moment: Moment
    user: Any
    refresh: RefreshUser
