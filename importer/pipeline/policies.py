"""The policies of a step: its keys, and the defaults of its kind; and the policies of
targets for rows whose objects the file no longer has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from importer.package import paths
from importer.package.shapes import Diagnostic, Step, error
from importer.package.step_kinds import StepKind
from importer.package.step_policies import (
    MAX_DELETE,
    Execute,
    OnChange,
    OnDeleted,
    OnMissing,
    OnUserModified,
    Policy,
)
from importer.package.translation import gettext as _
from importer.package.wire_values import short

_MOST_ERRORS = 100


def with_default_policy(step: Step, kinds: Mapping[str, StepKind]) -> Step:
    """Return a step without its own policies."""
    return replace(step, policy=policy_of(kinds[step.kind], {}))


def taking_the_package(step: Step) -> Step:
    """Return a step whose objects take precedence over whatever their rows have.

    Where the step merges, they do so only in conflicts: what a user changed alone was
    never in question.
    """
    merges = step.policy.on_user_modified is OnUserModified.MERGE
    policy = replace(
        step.policy,
        on_change=OnChange.UPDATE,
        on_user_modified=OnUserModified.MERGE if merges else OnUserModified.OVERWRITE,
        on_deleted=OnDeleted.RESTORE,
        on_missing=None,
    )
    return replace(step, policy=policy)


def policy_of(kind: StepKind, keys: dict[str, Any]) -> Policy:
    """Return the policy of a step with valid keys (IMP-069 to IMP-074)."""
    return Policy(
        on_change=OnChange(keys.get("onChange", kind.on_change)),
        on_user_modified=OnUserModified(
            keys.get("onUserModified", kind.on_user_modified)
        ),
        on_deleted=OnDeleted(keys.get("onDeleted", "skip")),
        execute=Execute(keys.get("execute", "once")) if kind.executes else None,
        on_missing=OnMissing(keys["onMissing"]) if "onMissing" in keys else None,
        max_delete=keys.get("maxDelete"),
    )


class MissingPolicy(msgspec.Struct, frozen=True):
    """What happens to the rows of a target whose objects the file no longer has.

    ``step`` is the first step that says so, ``steps`` are all steps of the target.
    """

    step: Step
    steps: frozenset[int]
    max_delete: int | str

    @property
    def target(self) -> str:
        """Return the name of the target."""
        return self.step.target

    @property
    def deletes(self) -> bool:
        """Return whether the rows are deleted."""
        return self.step.policy.on_missing is OnMissing.DELETE

    def most(self, rows: int) -> int:
        """Return how many of the package's rows in the target may be deleted."""
        if isinstance(self.max_delete, int):
            return self.max_delete
        return rows * int(self.max_delete.rstrip("%")) // 100


def missing_policies(steps: Iterable[Step]) -> list[MissingPolicy]:
    """Return the policies that report or delete rows, in reverse order of their targets:
    later objects may refer to earlier ones."""
    found = []
    for own in reversed(_by_target(steps).values()):
        saying = [step for step in own if step.policy.on_missing is not None]
        limits = [step.policy.max_delete for step in own]
        given = [limit for limit in limits if limit is not None]
        if saying and saying[0].policy.on_missing is not OnMissing.KEEP:
            numbers = frozenset(step.index for step in own)
            limit = given[0] if given else MAX_DELETE
            found.append(MissingPolicy(saying[0], numbers, limit))
    return found


def contradictions(steps: Iterable[Step]) -> list[Diagnostic]:
    """Return an error for each step that contradicts an earlier one of its target."""
    found = []
    for own in _by_target(steps).values():
        for key, name in (("onMissing", "on_missing"), ("maxDelete", "max_delete")):
            given = [s for s in own if getattr(s.policy, name) is not None]
            for step in given[1:]:
                first, here = (getattr(s.policy, name) for s in (given[0], step))
                if first != here:
                    sentence = _(
                        "must be %(first)s as in %(step)s, because all steps of "
                        "%(target)s have the same %(key)s"
                    ) % {
                        "first": short(first),
                        "step": paths.step_path(given[0].index),
                        "target": step.target,
                        "key": key,
                    }
                    path = paths.inside(paths.step_path(step.index), key)
                    found.append(error(path, sentence))
    return found[:_MOST_ERRORS]


def _by_target(steps: Iterable[Step]) -> dict[str, list[Step]]:
    by_target: dict[str, list[Step]] = {}
    for step in steps:
        by_target.setdefault(step.target, []).append(step)
    return by_target
