"""The whole table of outcomes, case by case."""

from __future__ import annotations

from itertools import product

import pytest

from importer.package.shapes import Outcome
from importer.package.step_policies import (
    Execute,
    OnChange,
    OnDeleted,
    OnUserModified,
    Policy,
)
from importer.pipeline.decide import Action, Decision, decide
from importer.pipeline.values import ExistingRow

NEW, OLD = "n" * 64, "o" * 64
EITHER = ("update", "skip")
USERS = ("skip", "overwrite")
DELETED = ("skip", "restore")


def marked(source_hash, *, by_user=False, deleted=False):
    return ExistingRow(7, source_hash, 3, deleted=deleted, user_modified=by_user)


NOTHING = None
UNMARKED = ExistingRow(7, version=3, marked=False)
SAME, OTHER = marked(NEW), marked(OLD)
SAME_BY_USER = marked(NEW, by_user=True)
OTHER_BY_USER = marked(OLD, by_user=True)
GONE = [
    marked(source_hash, by_user=by_user, deleted=True)
    for source_hash, by_user in product((NEW, OLD), (False, True))
]
# What is found; onChange, onUserModified, onDeleted; what happens.
ROWS = [
    (NOTHING, EITHER, USERS, DELETED, "Inserted", Action.CREATE),
    (UNMARKED, ["update"], USERS, DELETED, "Adopted", Action.VALUES),
    (UNMARKED, ["skip"], USERS, DELETED, "Adopted", Action.MARK),
    (SAME, EITHER, USERS, DELETED, "Unchanged", Action.NOTHING),
    (SAME_BY_USER, EITHER, USERS, DELETED, "Unchanged", Action.NOTHING),
    (OTHER, ["update"], USERS, DELETED, "Updated", Action.VALUES),
    (OTHER, ["skip"], USERS, DELETED, "SkippedDrift", Action.NOTHING),
    (OTHER_BY_USER, EITHER, ["skip"], DELETED, "SkippedUserModified", Action.COMPARE),
    (OTHER_BY_USER, ["update"], ["overwrite"], DELETED, "Updated", Action.VALUES),
    (OTHER_BY_USER, ["skip"], ["overwrite"], DELETED, "SkippedDrift", Action.NOTHING),
]
for gone in GONE:
    ROWS += [
        (gone, EITHER, USERS, ["skip"], "SkippedDeleted", Action.NOTHING),
        (gone, ["update"], USERS, ["restore"], "Restored", Action.RESTORE_VALUES),
        (gone, ["skip"], USERS, ["restore"], "Restored", Action.RESTORE),
    ]
CASES = [
    (seen, policies, outcome, action)
    for seen, changes, users, deleted, outcome, action in ROWS
    for policies in product(changes, users, deleted)
]


def test_the_table_names_every_case_once():
    assert len(CASES) == (2 + 2 * 2 * 2) * 2 * 2 * 2
    assert len({repr(case[:2]) for case in CASES}) == len(CASES)


@pytest.mark.parametrize(("seen", "policies", "outcome", "action"), CASES)
def test_row_and_policies_determine_the_decision(seen, policies, outcome, action):
    """OPEN-13."""
    change, user, deleted = policies
    policy = Policy(OnChange(change), OnUserModified(user), OnDeleted(deleted))
    assert decide(seen, NEW, policy) == Decision(Outcome(outcome), action)


@pytest.mark.parametrize("seen", [SAME, OTHER])
def test_objects_executed_always_ignore_the_hash(seen):
    always = Policy(OnChange.SKIP, execute=Execute.ALWAYS)
    assert decide(seen, NEW, always) == Decision(Outcome.UPDATED, Action.VALUES)
    assert decide(None, NEW, always) == Decision(Outcome.INSERTED, Action.CREATE)
    once = Policy(OnChange.UPDATE, execute=Execute.ONCE)
    assert decide(SAME, NEW, once).outcome is Outcome.UNCHANGED
