"""The policies of a step: what happens to rows that changed, here or in the file."""

from __future__ import annotations

from enum import StrEnum

import msgspec

# How many rows a run may delete because the file no longer has their objects.
MAX_DELETE = "5%"


class OnChange(StrEnum):
    """The policy for rows whose object has changed."""

    UPDATE = "update"
    SKIP = "skip"


class OnUserModified(StrEnum):
    """The policy for rows that a user changed after their import (OPEN-12)."""

    SKIP = "skip"
    OVERWRITE = "overwrite"
    MERGE = "merge"


class OnDeleted(StrEnum):
    """The policy for rows that a user deleted (OPEN-12)."""

    SKIP = "skip"
    RESTORE = "restore"


class OnMissing(StrEnum):
    """The policy for rows whose objects the file no longer has."""

    KEEP = "keep"
    REPORT = "report"
    DELETE = "delete"


class Execute(StrEnum):
    """How often an object that describes an execution is executed."""

    ONCE = "once"
    ALWAYS = "always"


class Policy(msgspec.Struct, frozen=True):
    """The policies of a step; ``execute`` is None if its objects execute nothing.

    ``on_missing`` and ``max_delete`` are None unless the step gives them: they apply to
    all steps of its target.
    """

    on_change: OnChange = OnChange.UPDATE
    on_user_modified: OnUserModified = OnUserModified.SKIP
    on_deleted: OnDeleted = OnDeleted.SKIP
    execute: Execute | None = None
    on_missing: OnMissing | None = None
    max_delete: int | str | None = None
