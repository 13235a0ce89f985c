"""The description of a target's properties, the one source for schema, check and resolve.

Targets make these descriptions from their serializers; nothing in here knows Django.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class FieldKind(StrEnum):
    """The wire type of a property (OPEN-18)."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    DATE_TIME = "dateTime"
    CHOICE = "choice"
    REFERENCE = "reference"
    LINES = "lines"


class Applies(msgspec.Struct, frozen=True):
    """The condition that a property applies only where another one has a value.

    Elsewhere it may not be given, except as null.
    """

    property: str
    value: Any
    required: bool = False


class FieldSpec(msgspec.Struct, frozen=True):
    """One property; ``required`` means given explicitly in every item.

    ``only`` is the one value a boolean may have where its step has said it already.
    """

    name: str
    kind: FieldKind
    required: bool = False
    applies: Applies | None = None
    choices: tuple[str, ...] = ()
    to: str = ""
    lines: tuple[FieldSpec, ...] = ()
    description: str = ""
    only: bool | None = None


def deciding(fields: tuple[FieldSpec, ...]) -> frozenset[str]:
    """Return the properties whose values settle what others may be; never null."""
    return frozenset(field.applies.property for field in fields if field.applies)


class SourceSpec(msgspec.Struct, frozen=True):
    """A target whose rows can be copied into a new row, and what that fills."""

    target: str
    fills: frozenset[str]


class TargetSpec(msgspec.Struct, frozen=True):
    """A target: its name on the wire, its step kind and its properties.

    ``code`` is the property ``$code`` looks in, ``unique`` the properties no two live
    rows share, ``chain`` the reference to a row's parent in the same table,
    ``submitted`` the property that tells whether a row is more than saved, and
    ``sources`` what a row can be created from.
    """

    name: str
    kind: str
    fields: tuple[FieldSpec, ...]
    code: str = ""
    unique: tuple[str, ...] = ()
    chain: str = ""
    title: str = ""
    submitted: str = ""
    sources: tuple[SourceSpec, ...] = ()

    @property
    def looked_up(self) -> tuple[str, ...]:
        """Return the properties other objects may find a row by."""
        apart = self.code and self.code not in self.unique
        return (*self.unique, self.code) if apart else self.unique

    @property
    def arrays(self) -> tuple[str, ...]:
        """Return the properties that hold lines."""
        return tuple(field.name for field in self.fields if field.lines)

    def field(self, name: str) -> FieldSpec:
        """Return a property by its name; raise KeyError if there is none."""
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(name)


def longest(item: dict[str, Any], arrays: tuple[str, ...]) -> int:
    """Return how many lines an object gives in its longest array of them."""
    if not arrays:
        return 0
    given = (item.get(name) for name in arrays)
    return max((len(lines) for lines in given if isinstance(lines, list)), default=0)
