"""The refusals of services, one exception per kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from importer import LimitReached, NotAllowed, Problem, Refusal
from importer.targets import Stale

__all__ = [
    "InUse",
    "LimitReached",
    "NotAllowed",
    "Problem",
    "Refusal",
    "Stale",
    "WriteRefused",
]


class InUse(Refusal):
    """The refusal to delete a row that others refer to.

    ``used_by`` names up to five of them for programs, ``count`` says how many there are.
    """

    def __init__(
        self,
        problems: Iterable[Problem],
        used_by: Iterable[dict[str, Any]] = (),
        count: int | None = None,
    ) -> None:
        super().__init__(problems)
        self.used_by, self.count = list(used_by), count


class WriteRefused(TypeError):
    """The refusal of a write that bypasses the services (OPEN-16)."""
