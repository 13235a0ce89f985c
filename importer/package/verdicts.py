"""What the check of an object settles once for all objects of the same keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from importer.package.shapes import Problem
from importer.package.wire_values import as_text, not_an_identifier, short
from importer.package.words import gettext as _
from importer.package.words import gettext_noop

REQUIRED = gettext_noop("is required and must be given explicitly")
_REQUIRED_WHERE = gettext_noop(
    "is required and must be given explicitly where %(other)s is %(value)s"
)
_ONLY_WHERE = gettext_noop("may be given only where %(other)s is %(value)s")


class Condition(msgspec.Struct, frozen=True):
    """Hold what a value of another property asks of one set of keys."""

    other: str
    value: Any
    missing: tuple[str, ...]
    misplaced: tuple[str, ...]

    def put_into(self, sentence: str) -> str:
        """Return a sentence about the condition, in the reader's language."""
        return _(sentence) % {"other": self.other, "value": short(self.value)}


class Verdict(msgspec.Struct, frozen=True):
    """Hold what one set of keys settles: problems, and which values to look at.

    The problems serve readers of all languages, so they are translated when told.
    """

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
            message = condition.put_into(_REQUIRED_WHERE)
            problems.append(Problem(base + name, message, "required"))
        return
    for name in condition.misplaced:
        if item[name] is not None:
            message = condition.put_into(_ONLY_WHERE)
            problems.append(Problem(base + name, message, "misplaced"))


def id_problem(path: str, identifier: Any, most: int) -> Problem:
    """Return what is wrong with an object's ``$id`` that cannot be one."""
    code = "invalid-id"
    if identifier is None:
        code = "required"
        reason = _("is required: every object has a permanent $id of its own")
    elif type(identifier) is not str:
        reason = _("must be a text, not %(value)s") % {"value": short(identifier)}
    elif 1 <= len(identifier) <= most:
        reason = not_an_identifier(identifier)
    else:
        reason = _("must have 1 to %(most)s characters") % {"most": most}
    return Problem(path, reason, code, as_text(identifier))
