"""The policies of a step: its keys, and the defaults of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from importer.package.shapes import (
    Execute,
    OnChange,
    OnDeleted,
    OnUserModified,
    Policy,
    Step,
)
from importer.package.step_kinds import StepKind


def with_default_policy(step: Step, kinds: Mapping[str, StepKind]) -> Step:
    """Return a step without its own policies."""
    return replace(step, policy=policy_of(kinds[step.kind], {}))


def policy_of(kind: StepKind, keys: dict[str, Any]) -> Policy:
    """Return the policy of a step with valid keys (IMP-069 to IMP-074)."""
    return Policy(
        on_change=OnChange(keys.get("onChange", kind.on_change)),
        on_user_modified=OnUserModified(
            keys.get("onUserModified", kind.on_user_modified)
        ),
        on_deleted=OnDeleted(keys.get("onDeleted", "skip")),
        execute=Execute(keys.get("execute", "once")) if kind.executes else None,
    )
