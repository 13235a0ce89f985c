"""The description of a target's properties, used by schema, check and resolve.

Targets derive these descriptions from their serializers; nothing here uses Django.
"""

from __future__ import annotations

from decimal import Decimal
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
    """The condition that a property applies only if another one has a certain value.

    Otherwise it may only be null or absent.
    """

    property: str
    value: Any
    required: bool = False


class ValueLimits(msgspec.Struct, frozen=True):
    """The limits of a property's values, which its serializer field checks.

    ``exact`` means that the field takes only the documented JSON values. ``blank``
    texts may be empty, ``longest`` counts without the spaces around a text.
    ``whole_digits`` and ``places`` are the digits of a decimal before and after its
    point.
    """

    nullable: bool = True
    exact: bool = False
    blank: bool = True
    longest: int | None = None
    email: bool = False
    least: Decimal | int | None = None
    greatest: Decimal | int | None = None
    whole_digits: int | None = None
    places: int | None = None


class FieldSpec(msgspec.Struct, frozen=True):
    """One property; ``required`` means that every item must give it.

    ``only`` is the one value that a boolean may have if its step determines it. The
    check of objects doesn't use the ``limits``, only the schema does.
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
    limits: ValueLimits = ValueLimits()


def deciding(fields: tuple[FieldSpec, ...]) -> frozenset[str]:
    """Return the properties that decide which others apply; they are never null."""
    return frozenset(field.applies.property for field in fields if field.applies)


class SourceSpec(msgspec.Struct, frozen=True):
    """A target whose rows can be copied into a new row, and the properties filled."""

    target: str
    fills: frozenset[str]


class TargetSpec(msgspec.Struct, frozen=True):
    """A target: its wire name, its step kind and its properties.

    ``code`` is the property that ``$code`` uses, ``unique`` the properties unique among
    live rows, ``chain`` the reference to a row's parent in the same table,
    ``submitted`` the property that tells whether a row is submitted, and ``sources``
    what a row can be created from. Rows are ``deletable`` if they can be soft-deleted,
    and ``mergeable`` if it is known what users changed since their import.
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
    deletable: bool = False
    mergeable: bool = False

    @property
    def looked_up(self) -> tuple[str, ...]:
        """Return the properties by which other objects may find a row."""
        apart = self.code and self.code not in self.unique
        return (*self.unique, self.code) if apart else self.unique

    @property
    def arrays(self) -> tuple[str, ...]:
        """Return the properties that are arrays of lines."""
        return tuple(field.name for field in self.fields if field.lines)

    def field(self, name: str) -> FieldSpec:
        """Return a property by its name; raise KeyError if there is none."""
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(name)


def longest(item: dict[str, Any], arrays: tuple[str, ...]) -> int:
    """Return the number of lines in an object's longest array."""
    if not arrays:
        return 0
    given = (item.get(name) for name in arrays)
    return max((len(lines) for lines in given if isinstance(lines, list)), default=0)
