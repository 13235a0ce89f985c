"""The types of the hooks that a project registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any
from uuid import UUID

import msgspec
from django.db import models

from importer.package.shapes import Origin, Outcome


class RunContext(msgspec.Struct, frozen=True):
    """The user and package of a run, for a surrounding context."""

    run_id: UUID
    user: Any
    origin: Origin
    package: str
    dry_run: bool


Surrounding = Callable[[RunContext], AbstractContextManager[Any]]
ZoneOf = Callable[[Any], str]
LanguageOf = Callable[[Any], str]
MayImport = Callable[[Any], bool]
RowLink = Callable[[type[models.Model], Any, Any], str]
RunLink = Callable[[UUID, Any], str]
Outcomes = Mapping[tuple[str, int], Outcome]
"""What a run did to rows, each by the name of its target and its key."""
OutcomesOf = Callable[[UUID], Outcomes]
Changes = Mapping[str, Sequence[Any]]
"""What changed in a row: each property of the wire with its values before and after."""
LabelledChanges = Sequence[tuple[str, str, str]]
"""The same as people read it: what a property is called, and both values."""
ChangeWords = Callable[
    [type[models.Model], Sequence[Changes]], Sequence[LabelledChanges]
]
StartedVia = Callable[[], str]
StarterOf = Callable[[str, Any], tuple[str, str]]
Repeats = Callable[[Any, Any, Callable[[], Any]], Any]
"""What answers a request to start a run by its view, itself and the work to do."""


class SourceHooks:
    """What a project adds to saved sources of tables; by itself nothing."""

    def links(self, name: str, user: Any) -> Sequence[tuple[str, str]]:
        """Return text and URL of the links beside a source, for a user."""
        return ()

    def makers(self) -> Mapping[str, str]:
        """Return what makes tables for sources: the title of each by its name."""
        return {}

    def record(self, action: str, source: Any, changes: Changes) -> None:
        """Record that a source was ``created``, ``updated`` or ``deleted``, in the
        transaction of the change."""
