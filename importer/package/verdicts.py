"""What the check of an object settles once for all objects of the same keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from importer.package.shapes import Problem
from importer.package.wire_values import short

REQUIRED = "is required and must be given explicitly"


class Condition(msgspec.Struct, frozen=True):
    """Hold what a value of another property asks of one set of keys."""

    other: str
    value: Any
    missing: tuple[str, ...]
    misplaced: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Say the condition inside a sentence."""
        return f"where {self.other} is {short(self.value)}"


class Verdict(msgspec.Struct, frozen=True):
    """Hold what one set of keys settles: problems, and which values to look at."""

    problems: tuple[Problem, ...]
    texts: tuple[str, ...]
    scalars: tuple[tuple[str, Callable[[Any], bool]], ...]
    references: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    conditions: tuple[Condition, ...]


class Plan(msgspec.Struct, frozen=True):
    """Hold what is left to look at where keys and types of values are in order.

    ``dollars`` counts the keys that start with ``$``.
    """

    values: tuple[tuple[str, Callable[[Any], bool]], ...]
    references: tuple[tuple[str, str], ...]
    conditions: tuple[Condition, ...]
    dollars: int


def judge_condition(
    condition: Condition, item: dict[str, Any], base: str, problems: list[Problem]
) -> None:
    """Add what a condition finds missing, or given where it may not be."""
    other = item[condition.other]
    if type(other) is type(condition.value) and other == condition.value:
        for name in condition.missing:
            message = f"{REQUIRED} {condition.sentence}"
            problems.append(Problem(base + name, message))
        return
    for name in condition.misplaced:
        if item[name] is not None:
            message = f"may be given only {condition.sentence}"
            problems.append(Problem(base + name, message))
