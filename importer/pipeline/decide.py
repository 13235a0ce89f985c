"""The decision about the row of one object: a pure function.

``docs/outcomes.md`` is generated from this table; its order is that of OPEN-13.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from importer.package.hashing import MISSING_HASH
from importer.package.shapes import Outcome
from importer.package.step_policies import (
    Execute,
    OnChange,
    OnDeleted,
    OnMissing,
    OnUserModified,
    Policy,
)
from importer.pipeline.values import ExistingRow


class Action(StrEnum):
    """The write of a decision."""

    NOTHING = "nothing"
    COMPARE = "nothing, or only the hash in the mark if no value differs"
    CREATE = "a new row"
    VALUES = "the object's values"
    MERGE = "what only the package changed"
    MARK = "the mark only"
    RESTORE_VALUES = "undeleted, with the object's values"
    RESTORE = "undeleted only"


SETTLED = (Action.NOTHING, Action.COMPARE)
"""What leaves a row as it is."""
KEEPING = (*SETTLED, Action.MARK)
"""What leaves the values of a row as they are."""


class Decision(msgspec.Struct, frozen=True):
    """The outcome of an object unless it is refused, and its write."""

    outcome: Outcome
    action: Action


INSERT = Decision(Outcome.INSERTED, Action.CREATE)
UNCHANGED = Decision(Outcome.UNCHANGED, Action.NOTHING)
UPDATE = Decision(Outcome.UPDATED, Action.VALUES)
MERGE = Decision(Outcome.UPDATED, Action.MERGE)
ADOPT = Decision(Outcome.ADOPTED, Action.VALUES)
ADOPT_MARK = Decision(Outcome.ADOPTED, Action.MARK)
RESTORE_UPDATE = Decision(Outcome.RESTORED, Action.RESTORE_VALUES)
RESTORE = Decision(Outcome.RESTORED, Action.RESTORE)
KEEP_DELETED = Decision(Outcome.SKIPPED_DELETED, Action.NOTHING)
KEEP_USERS = Decision(Outcome.SKIPPED_USER_MODIFIED, Action.COMPARE)
KEEP_DRIFT = Decision(Outcome.SKIPPED_DRIFT, Action.NOTHING)


def decide(row: ExistingRow | None, source_hash: str, policy: Policy) -> Decision:
    """Return the decision for an object and its row, if there is one."""
    update = policy.on_change is OnChange.UPDATE
    if row is None:
        return INSERT
    if not row.marked:
        return ADOPT if update else ADOPT_MARK
    if row.deleted:
        if row.source_hash == MISSING_HASH and not row.user_modified:
            return RESTORE_UPDATE
        if policy.on_deleted is OnDeleted.SKIP:
            return KEEP_DELETED
        return RESTORE_UPDATE if update else RESTORE
    if policy.execute is Execute.ALWAYS:
        return UPDATE
    if row.source_hash == source_hash:
        return UNCHANGED
    if row.user_modified and policy.on_user_modified is OnUserModified.SKIP:
        return KEEP_USERS
    if not update:
        return KEEP_DRIFT
    merges = policy.on_user_modified is OnUserModified.MERGE
    return MERGE if merges and row.user_modified else UPDATE


def may_keep(decision: Decision, row: ExistingRow) -> bool:
    """Return whether a row may be kept because a user changed or deleted it.

    A plan keeps any row that a user has changed since the dry run.
    """
    writes_or_compares = decision.action is not Action.NOTHING
    return decision == KEEP_DELETED or (row.user_modified and writes_or_compares)


def decide_missing(row: ExistingRow, on_missing: OnMissing) -> Outcome:
    """Return the outcome of a row whose object the file no longer has."""
    kept = on_missing is OnMissing.REPORT or row.user_modified or row.submitted
    return Outcome.MISSING if kept else Outcome.DELETED
