"""The part of an object's check that depends only on its keys, done once per set of
keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from importer.package.fields import FieldSpec
from importer.package.references import BY_CODE, BY_ID
from importer.package.shapes import Problem, Problems
from importer.package.step_objects import SOURCE
from importer.package.suggestions import closest, did_you_mean
from importer.package.translation import gettext as _, gettext_noop
from importer.package.wire_values import as_text, fits, not_an_identifier, short

REQUIRED = gettext_noop("is required and must be given explicitly")
_REQUIRED_WHERE = gettext_noop(
    "is required and must be given explicitly where %(other)s is %(value)s"
)
_ONLY_WHERE = gettext_noop("is allowed only where %(other)s is %(value)s")


class Condition(msgspec.Struct, frozen=True):
    """The requirement that the value of another property puts on a set of keys."""

    other: str
    value: Any
    fitting: Callable[[Any], bool]
    missing: tuple[str, ...]
    misplaced: tuple[str, ...]

    def put_into(self, sentence: str) -> str:
        """Return a sentence about the condition in the reader's language."""
        return _(sentence) % {"other": self.other, "value": short(self.value)}


class KeyRules(msgspec.Struct, frozen=True):
    """The rules for one set of keys: problems, and which values to check.

    Problems are translated when they are reported, for readers of all languages.
    ``deciding`` may not be null.
    """

    unknown: tuple[str, ...]
    problems: tuple[Problem, ...]
    deciding: tuple[str, ...]
    texts: tuple[str, ...]
    scalars: tuple[tuple[str, Callable[[Any], bool]], ...]
    references: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    conditions: tuple[Condition, ...]


class ValueChecks(msgspec.Struct, frozen=True):
    """The checks that remain if keys and types of the values are valid.

    ``dollars`` counts the keys that start with ``$``.
    """

    values: tuple[tuple[str, Callable[[Any], bool]], ...]
    references: tuple[tuple[str, str], ...]
    conditions: tuple[Condition, ...]
    dollars: int


def check_condition(
    condition: Condition, item: dict[str, Any], base: str, problems: Problems
) -> None:
    """Add an error if a required property is missing or a forbidden one is given.

    Nothing is known while the property of the condition is invalid.
    """
    other = item[condition.other]
    if not condition.fitting(other):
        return
    if type(other) is type(condition.value) and other == condition.value:
        for name in condition.missing:
            message = condition.put_into(_REQUIRED_WHERE)
            problems.append(Problem(base + name, message, "required"))
        return
    for name in condition.misplaced:
        if item[name] is not None:
            message = condition.put_into(_ONLY_WHERE)
            problems.append(Problem(base + name, message, "misplaced"))


def id_problem(
    path: str, identifier: Any, most: int, *, optional: bool = False
) -> Problem:
    """Return the problem of an invalid ``$id``, or of an optional earlier one."""
    code = "invalid-id"
    if identifier is None and not optional:
        code = "required"
        reason = _("is required: every object has a permanent $id of its own")
    elif type(identifier) is not str:
        reason = _("must be a string, not %(value)s") % {"value": short(identifier)}
    elif 1 <= len(identifier) <= most:
        reason = not_an_identifier(identifier)
    else:
        reason = _("must have 1 to %(most)s characters") % {"most": most}
    return Problem(path, reason, code, as_text(identifier))


def conditions_of(
    fields: Mapping[str, FieldSpec], given: set[str], meant: set[str]
) -> tuple[Condition, ...]:
    """Return the conditions that apply to a set of keys.

    ``meant`` are these keys and those that misspelt ones probably mean.
    """
    grouped: dict[tuple[str, Any], list[FieldSpec]] = {}
    for field in fields.values():
        rule = field.applies
        if rule is not None and rule.property in given:
            grouped.setdefault((rule.property, rule.value), []).append(field)
    return tuple(
        Condition(
            name,
            value,
            fits(fields[name]),
            missing=tuple(
                f.name
                for f in bound
                if f.applies and f.applies.required and f.name not in meant
            ),
            misplaced=tuple(f.name for f in bound if f.name in given),
        )
        for (name, value), bound in grouped.items()
    )


def not_a_key(reference: dict[str, Any]) -> str:
    """Return why an object with other keys isn't a reference."""
    sentence = _('a reference has one key, "$ref" or "$code"')
    hints = (did_you_mean(key, (BY_ID, BY_CODE)) for key in reference)
    return sentence + next(filter(None, hints), "")


def suggested_keys(
    unknown: tuple[str, ...], fields: Mapping[str, FieldSpec], own: tuple[str, ...]
) -> set[str]:
    """Return the keys suggested for unknown ones."""
    found = (closest(key, (*fields, *own)) for key in unknown)
    return {name for name in found if name is not None}


def add_unknown_keys(
    keys: tuple[str, ...],
    fields: Mapping[str, FieldSpec],
    own: tuple[str, ...],
    base: str,
    problems: Problems,
) -> None:
    """Add the errors of unknown keys, each with a suggestion."""
    listed = keys[: problems.room]
    for key in listed:
        if not key.startswith("$") or not own:
            message = _("unknown property")
        elif SOURCE in fields:
            message = _("unknown key; only $id and $source start with $")
        else:
            message = _("unknown key; only $id starts with $")
        hint = did_you_mean(key, (*fields, *own))
        problems.append(Problem(base + key[:100], message + hint, "unknown-property"))
    problems.more += len(keys) - len(listed)
