"""The references of an object, at any depth, according to its description.

Check, window and resolve use the same traversal, so they can't disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from importer.package.fields import FieldKind, FieldSpec

BY_ID = "$ref"
BY_CODE = "$code"
_REPLACEABLE = frozenset(
    {FieldKind.REFERENCE, FieldKind.DATE, FieldKind.DATE_TIME, FieldKind.LINES}
)


class Reference(msgspec.Struct, frozen=True):
    """One reference: its path, its target, and how it names the row."""

    path: str
    to: str
    by: str
    key: str


Replace = Callable[[Reference], Any]


def as_reference(value: Any) -> tuple[str, str] | None:
    """Return how a value refers to a row and to what, None if it isn't a reference."""
    if type(value) is dict and len(value) == 1:
        ((by, key),) = value.items()
        if by in (BY_ID, BY_CODE) and type(key) is str:
            return by, key
    return None


def references(
    values: dict[str, Any], fields: tuple[FieldSpec, ...], base: str = ""
) -> Iterator[Reference]:
    """Yield every reference of an object in the order of the description."""
    for field in fields:
        value = values.get(field.name)
        if value is None:
            continue
        if field.kind is FieldKind.REFERENCE:
            found = as_reference(value)
            if found is not None:
                yield Reference(base + field.name, field.to, *found)
        elif field.kind is FieldKind.LINES and isinstance(value, list):
            for number, line in enumerate(value):
                if isinstance(line, dict):
                    inner = f"{base}{field.name}[{number}]."
                    yield from references(line, field.lines, inner)


def keys_named(
    values: dict[str, Any], fields: tuple[FieldSpec, ...]
) -> Iterator[tuple[str, int]]:
    """Yield (target, key) of every row named by resolved values."""
    for field in fields:
        value = values.get(field.name)
        if field.kind is FieldKind.REFERENCE and type(value) is int:
            yield field.to, value
        elif field.kind is FieldKind.LINES and isinstance(value, list):
            for line in value:
                yield from keys_named(line, field.lines)


def replaceable(fields: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    """Return the fields, at any depth, that may have references or tokens."""
    return tuple(
        replace(field, lines=replaceable(field.lines))
        for field in fields
        if field.kind in _REPLACEABLE
    )


def replaced(
    values: dict[str, Any],
    fields: tuple[FieldSpec, ...],
    reference: Replace,
    token: Callable[[FieldSpec, str], Any],
    base: str = "",
) -> dict[str, Any]:
    """Return the values with references and tokens replaced in `replaceable` fields."""
    result = dict(values)
    for field in fields:
        value = result.get(field.name)
        if value is None:
            continue
        if field.kind is FieldKind.REFERENCE:
            found = as_reference(value)
            if found is not None:
                named = Reference(base + field.name, field.to, *found)
                result[field.name] = reference(named)
        elif field.kind in (FieldKind.DATE, FieldKind.DATE_TIME):
            if type(value) is str and value[:1] == "$":
                result[field.name] = token(field, value)
        elif field.kind is FieldKind.LINES:
            result[field.name] = [
                replaced(
                    line, field.lines, reference, token, f"{base}{field.name}[{n}]."
                )
                for n, line in enumerate(value)
            ]
    return result
