"""The JSON Schema of properties: their types, and the limits that services check.

It accepts every value that a dry run accepts. What it can't say, such as the number of
decimal places of a JSON number, only the dry run finds.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from msgspec.structs import replace

from importer.package import tokens
from importer.package.fields import FieldKind, FieldSpec, ValueLimits, deciding
from importer.package.wire_values import (
    DATE_TEXT,
    DECIMAL_LIMIT,
    DECIMAL_TEXT,
    IDENTIFIER,
    NOT_DOLLAR,
)

Schema = dict[str, Any]

# Services remove this white space from texts; `\s` means more in some languages.
_SPACE = r"\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CONTROL = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f"
_FILLED = rf"^(?!\$)[{_SPACE}]*[^{_SPACE}{_CONTROL}][^{_CONTROL}]*$"
_EMAIL = rf"^[{_SPACE}]*([^{_SPACE}].*@[^{_SPACE}@]+[{_SPACE}]*)?$"
_TOKEN = rf"^({tokens.PATTERN})$(?!\n)"
_DAY = r"(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_OFFSET = r"([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)"
_TIME = r"[0-9]{1,2}(:?[0-9]{1,2}(:?[0-9]{1,2}([.,][0-9]+)?)?)?"
_ONE_DAY = rf"^{_DAY}$(?!\n)"
_RFC_3339 = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})$(?!\n)"
)
_EXAMPLES: dict[FieldKind, list[Any]] = {
    FieldKind.DATE: ["2026-07-01", "$today", "$today+14d"],
    FieldKind.DATE_TIME: ["2026-07-01T09:30:00Z", "2026-07-01", "$now", "$today-5d"],
    FieldKind.DECIMAL: ["10.90", 10.9],
}


def definitions() -> Schema:
    """Return the definitions that properties refer to."""
    text = {"type": ["string", "null"]}
    return {
        "text": {**text, "pattern": IDENTIFIER},
        "filledText": {**text, "pattern": _FILLED},
        "paddedText": {**text, "pattern": rf"^[{_SPACE}]|[{_SPACE}]$"},
        "email": {**text, "pattern": _EMAIL},
        "date": _or_token(_DAY, {_ONE_DAY: "date"}),
        "dateTime": _or_token(
            rf"{_DAY}([Tt ]{_TIME}[{_SPACE}]*{_OFFSET})?",
            {_ONE_DAY: "date", _RFC_3339: "date-time"},
        ),
    }


def _or_token(pattern: str, formats: dict[str, str]) -> Schema:
    """Return the schema of a date, with the formats of the texts that have one.

    Editors check the format: it refuses days that don't exist, and tokens.
    """
    return {
        "type": ["string", "null"],
        "pattern": rf"^[{_SPACE}]*{pattern}[{_SPACE}]*$|{_TOKEN}",
        "allOf": [
            {
                "if": {"type": "string", "pattern": complete},
                "then": {"format": format_},
            }
            for complete, format_ in formats.items()
        ],
    }


def object_schema(fields: tuple[FieldSpec, ...]) -> Schema:
    """Return the schema of an object or a line with these properties."""
    schema: Schema = {
        "type": "object",
        "additionalProperties": False,
        "required": [f.name for f in fields if f.required],
        "properties": {f.name: _property(f) for f in fields},
    }
    by_name = {f.name: f for f in fields}
    # Those that decide which others apply are never null.
    for name in deciding(fields):
        by_name[name] = _never_empty(by_name[name])
        schema["properties"][name] = _property(by_name[name])
    conditions = [rule for f in fields if f.applies for rule in _conditions(f, by_name)]
    return {**schema, "allOf": conditions} if conditions else schema


def _never_empty(field: FieldSpec) -> FieldSpec:
    return replace(field, limits=replace(field.limits, nullable=False, blank=False))


def _conditions(field: FieldSpec, by_name: dict[str, FieldSpec]) -> list[Schema]:
    rule = field.applies
    if rule is None:
        return []

    def where(condition: Schema) -> Schema:
        return {
            "required": [rule.property],
            "properties": {rule.property: condition},
        }

    const = {"const": rule.value}
    elsewhere = {
        "if": where({**_type(by_name[rule.property]), "not": const}),
        "then": {"properties": {field.name: {"type": "null"}}},
    }
    then: Schema = {"required": [field.name]}
    if field.limits.exact:
        then["properties"] = {field.name: _type(_never_empty(field))}
    needed = {"if": where(const), "then": then}
    return [elsewhere, needed] if rule.required else [elsewhere]


def _property(field: FieldSpec) -> Schema:
    schema = _type(field)
    if field.description:
        schema = {**schema, "description": field.description}
    if field.kind in _EXAMPLES:
        schema = {**schema, "examples": _EXAMPLES[field.kind]}
    return schema


def _type(field: FieldSpec) -> Schema:
    limits = field.limits
    match field.kind:
        case FieldKind.TEXT:
            return {**_types("string", limits=limits), **_text(limits)}
        case FieldKind.DATE | FieldKind.DATE_TIME:
            day = _defined(field.kind) if limits.exact else {"pattern": DATE_TEXT}
            return {**_types("string", limits=limits), **day}
        case FieldKind.INTEGER:
            return {**_types("integer", limits=limits), **_range(limits)}
        case FieldKind.BOOLEAN:
            return _types("boolean", limits=limits)
        case FieldKind.CHOICE:
            null = [None] if limits.nullable else []
            return {"enum": [*field.choices, *null]}
        case FieldKind.DECIMAL:
            return {**_types("number", "string", limits=limits), **_decimal(limits)}
        case FieldKind.REFERENCE:
            return {**_types("object", limits=limits), **_defined("reference")}
        case FieldKind.LINES:
            least = {"minItems": 1} if limits.exact else {}
            lines = object_schema(field.lines)
            return {**_types("array", limits=limits), **least, "items": lines}


def _types(*names: str, limits: ValueLimits) -> Schema:
    if limits.nullable:
        return {"type": [*names, "null"]}
    return {"type": names[0] if len(names) == 1 else [*names]}


def _text(limits: ValueLimits) -> Schema:
    if not limits.exact:
        return {"pattern": NOT_DOLLAR}
    schema = _defined("text" if limits.blank else "filledText")
    if limits.longest is not None:
        # The spaces around a text don't count.
        schema["anyOf"] = [{"maxLength": limits.longest}, _defined("paddedText")]
    if limits.email:
        schema["allOf"] = [_defined("email")]
    return schema


def _defined(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _range(limits: ValueLimits) -> Schema:
    schema: Schema = {}
    if limits.least is not None:
        schema["minimum"] = _number(limits.least)
    if limits.greatest is not None:
        schema["maximum"] = _number(limits.greatest)
    return schema


def _decimal(limits: ValueLimits) -> Schema:
    edge = min(DECIMAL_LIMIT, 10 ** (limits.whole_digits or 14))
    schema: Schema = {
        "exclusiveMinimum": -edge,
        "exclusiveMaximum": edge,
        **_range(limits),
        "pattern": _decimal_text(limits),
    }
    if "minimum" in schema:
        del schema["exclusiveMinimum"]
    if limits.least is not None and limits.least == _smallest(limits):
        # As binary fractions, the smallest number and its limit could differ.
        del schema["minimum"]
        schema["exclusiveMinimum"] = 0
    return schema


def _smallest(limits: ValueLimits) -> Decimal | None:
    return None if limits.places is None else Decimal(1).scaleb(-limits.places)


def _decimal_text(limits: ValueLimits) -> str:
    """Return the pattern of decimals as texts, to which ``minimum`` doesn't apply."""
    if limits.places is None or limits.whole_digits is None:
        return DECIMAL_TEXT
    whole = rf"0*[0-9]{{1,{max(limits.whole_digits, 1)}}}"
    fraction = rf"(\.[0-9]{{1,{limits.places}}})?" if limits.places else ""
    if limits.least is None or limits.least < 0:
        return rf"^-?{whole}{fraction}$(?!\n)"
    if limits.least == 0:
        return rf"^(-(?![0.]*[1-9]))?{whole}{fraction}$(?!\n)"
    return rf"^(?=[0.]*[1-9]){whole}{fraction}$(?!\n)"


def _number(value: Decimal | int) -> int | float:
    return int(value) if value == int(value) else float(value)
