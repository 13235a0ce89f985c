"""Whether a value matches a JSON Schema, for the keywords that the header's schema has.

``jsonschema`` finds and describes the errors, but it takes megabytes and a good part of
a second to import. Almost all headers are valid, and this answers that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any] | bool
_Match = Callable[[Any, Mapping[str, Any], Any, Mapping[str, Any]], bool]

_ANNOTATIONS = frozenset({"$schema", "$defs", "title", "description", "default"})
_REFERENCE = "#/$defs/"
_TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


class NotSupported(Exception):
    """A keyword or value that only ``jsonschema`` can judge."""


def matches(schema: Schema, value: Any, definitions: Mapping[str, Any]) -> bool:
    """Return whether a value matches a schema, exactly as ``jsonschema`` would.

    Raise NotSupported for other keywords, and for numbers that aren't integers.
    """
    if isinstance(schema, bool):
        return schema
    if schema.keys() - _ANNOTATIONS - _KEYWORDS.keys() - _BRANCHES:
        raise NotSupported
    return all(
        match(schema[keyword], schema, value, definitions)
        for keyword, match in _KEYWORDS.items()
        if keyword in schema
    )


def _ref(wanted: str, _: Any, value: Any, definitions: Mapping[str, Any]) -> bool:
    if not wanted.startswith(_REFERENCE):
        raise NotSupported
    return matches(definitions[wanted.removeprefix(_REFERENCE)], value, definitions)


def _type(wanted: str | list[str], *given: Any) -> bool:
    value = given[1]
    names = [wanted] if isinstance(wanted, str) else wanted
    if type(value) not in _TYPES.values() or not _TYPES.keys() >= set(names):
        raise NotSupported
    return any(type(value) is _TYPES[name] for name in names)


def _const(wanted: Any, *given: Any) -> bool:
    value = given[1]
    if isinstance(wanted, str):
        return bool(value == wanted)
    if not isinstance(wanted, bool):
        raise NotSupported
    return value is wanted


def _enum(wanted: list[Any], *given: Any) -> bool:
    return any(_const(one, *given) for one in wanted)


def _required(wanted: list[str], *given: Any) -> bool:
    value = given[1]
    return not isinstance(value, dict) or all(name in value for name in wanted)


def _dependent(wanted: dict[str, list[str]], *given: Any) -> bool:
    value = given[1]
    return not isinstance(value, dict) or all(
        _required(names, *given) for key, names in wanted.items() if key in value
    )


def _properties(
    wanted: dict[str, Any], _: Any, value: Any, definitions: Mapping[str, Any]
) -> bool:
    return not isinstance(value, dict) or all(
        matches(wanted[key], one, definitions)
        for key, one in value.items()
        if key in wanted
    )


def _others(
    wanted: Schema,
    schema: Mapping[str, Any],
    value: Any,
    definitions: Mapping[str, Any],
) -> bool:
    known = schema.get("properties", {})
    return not isinstance(value, dict) or all(
        matches(wanted, one, definitions)
        for key, one in value.items()
        if key not in known
    )


def _items(wanted: Schema, _: Any, value: Any, definitions: Mapping[str, Any]) -> bool:
    return not isinstance(value, list) or all(
        matches(wanted, one, definitions) for one in value
    )


def _contains(
    wanted: Schema, _: Any, value: Any, definitions: Mapping[str, Any]
) -> bool:
    return not isinstance(value, list) or any(
        matches(wanted, one, definitions) for one in value
    )


def _few_items(wanted: int, *given: Any) -> bool:
    value = given[1]
    return not isinstance(value, list) or len(value) <= wanted


def _length(compare: Callable[[int, int], bool]) -> _Match:
    def match(wanted: int, _: Any, value: Any, __: Any) -> bool:
        return not isinstance(value, str) or compare(len(value), wanted)

    return match


def _limit(compare: Callable[[int, int], bool]) -> _Match:
    def match(wanted: int, _: Any, value: Any, __: Any) -> bool:
        if type(value) not in _TYPES.values():
            raise NotSupported
        return type(value) is not int or compare(value, wanted)

    return match


def _pattern(wanted: str, *given: Any) -> bool:
    value = given[1]
    return not isinstance(value, str) or re.search(wanted, value) is not None


def _some(count: Callable[[int, int], bool]) -> _Match:
    def match(
        wanted: list[Schema], _: Any, value: Any, definitions: Mapping[str, Any]
    ) -> bool:
        found = sum(matches(one, value, definitions) for one in wanted)
        return count(found, len(wanted))

    return match


def _not(wanted: Schema, _: Any, value: Any, definitions: Mapping[str, Any]) -> bool:
    return not matches(wanted, value, definitions)


def _if(
    wanted: Schema,
    schema: Mapping[str, Any],
    value: Any,
    definitions: Mapping[str, Any],
) -> bool:
    branch = "then" if matches(wanted, value, definitions) else "else"
    return matches(schema.get(branch, True), value, definitions)


# Judged with their ``if``.
_BRANCHES = frozenset({"then", "else"})
_KEYWORDS: dict[str, _Match] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "required": _required,
    "dependentRequired": _dependent,
    "additionalProperties": _others,
    "properties": _properties,
    "items": _items,
    "contains": _contains,
    "maxItems": _few_items,
    "minLength": _length(lambda length, least: length >= least),
    "maxLength": _length(lambda length, most: length <= most),
    "minimum": _limit(lambda value, least: value >= least),
    "maximum": _limit(lambda value, most: value <= most),
    "pattern": _pattern,
    "oneOf": _some(lambda found, of: found == 1),
    "anyOf": _some(lambda found, of: found > 0),
    "allOf": _some(lambda found, of: found == of),
    "not": _not,
    "if": _if,
    "$ref": _ref,
}
