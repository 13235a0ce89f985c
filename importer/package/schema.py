"""The JSON Schema (2020-12) of all packages of an installation (OPEN-58).

It has one branch per step kind and target, from the same descriptions as the check.
"""

from __future__ import annotations

from collections.abc import Iterable

from importer.package.check import ID, MAX_ID
from importer.package.earlier_names import WAS
from importer.package.fields import (
    FieldKind,
    FieldSpec,
    SourceSpec,
    TargetSpec,
    deciding,
)
from importer.package.shapes import FORMAT, MAX_VERSION, Origin
from importer.package.step_kinds import StepKind
from importer.package.step_objects import SOURCE, created_fields, submitted_field
from importer.package.step_schema import (
    MAX_PACKAGE,
    Schema,
    Steps,
    identifier,
    package_names,
)
from importer.package.wire_values import (
    DATE_TEXT,
    DECIMAL_LIMIT,
    DECIMAL_TEXT,
    IDENTIFIER,
    NOT_DOLLAR,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_OPTIONAL = ("$schema", "renamedFrom")


def package_schema(
    configuration: str, kinds: Iterable[StepKind], targets: Iterable[TargetSpec]
) -> Schema:
    """Return the schema that every package of the configuration must match."""
    kinds, targets = list(kinds), list(targets)
    header: Schema = {
        "$schema": {"description": "Where an editor finds this schema"},
        "format": {"const": FORMAT},
        "package": identifier("Permanent name of the package", MAX_PACKAGE),
        "version": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_VERSION,
            "description": "Raised whenever the content changes",
        },
        "origin": {"enum": [o.value for o in Origin]},
        "configuration": {"const": configuration},
        "renamedFrom": package_names("Earlier names of the package"),
        "steps": {"type": "array", "items": {"$ref": "#/$defs/step"}},
    }
    steps = Steps(kinds, targets)
    return {
        "$schema": DRAFT,
        "title": f"Import package of {configuration}",
        "type": "object",
        "additionalProperties": False,
        "required": [key for key in header if key not in _OPTIONAL],
        "properties": header,
        "$defs": {
            "step": steps.schema(),
            "reference": _reference(),
            **steps.branches(),
            **{f"item.{t.name}": _item(t) for t in targets},
            **{
                f"item.{t.name}.from.{source.target}": _created(t, source)
                for t in targets
                for source in t.sources
            },
        },
    }


def _reference() -> Schema:
    return {
        "type": ["object", "null"],
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
        "properties": {
            "$ref": identifier("$id of an earlier object of this package", MAX_ID),
            "$code": {
                "type": "string",
                "minLength": 1,
                "pattern": IDENTIFIER,
                "description": "Code of an existing row",
            },
        },
    }


def _item(target: TargetSpec) -> Schema:
    return _identified(target, target.fields)


def _created(target: TargetSpec, source: SourceSpec) -> Schema:
    schema = _identified(target, created_fields(target, source))
    # Null clears a property; without a source there would be no object.
    schema["properties"][SOURCE]["type"] = "object"
    return schema


def _identified(target: TargetSpec, fields: tuple[FieldSpec, ...]) -> Schema:
    if target.submitted:
        fields = (*fields, submitted_field(target))
    schema = _object(fields)
    schema["properties"] = {
        ID: identifier("Permanent name of the object in this package", MAX_ID),
        WAS: identifier("The object's $id in earlier versions", MAX_ID),
        **schema["properties"],
    }
    schema["required"] = [ID, *schema["required"]]
    return schema


def _object(fields: tuple[FieldSpec, ...]) -> Schema:
    schema: Schema = {
        "type": "object",
        "additionalProperties": False,
        "required": [f.name for f in fields if f.required],
        "properties": {f.name: _property(f) for f in fields},
    }
    decisive = deciding(fields)
    by_name = {f.name: _never_null(_type(f)) for f in fields if f.name in decisive}
    for name, settled in by_name.items():
        schema["properties"][name].update(settled)
    conditions = [rule for f in fields if f.applies for rule in _conditions(f, by_name)]
    return {**schema, "allOf": conditions} if conditions else schema


def _never_null(schema: Schema) -> Schema:
    if "enum" in schema:
        return {**schema, "enum": [one for one in schema["enum"] if one is not None]}
    return {**schema, "type": [one for one in schema["type"] if one != "null"]}


def _conditions(field: FieldSpec, decisive: dict[str, Schema]) -> list[Schema]:
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
        "if": where({**decisive[rule.property], "not": const}),
        "then": {"properties": {field.name: {"type": "null"}}},
    }
    needed = {"if": where(const), "then": {"required": [field.name]}}
    return [elsewhere, needed] if rule.required else [elsewhere]


def _property(field: FieldSpec) -> Schema:
    schema = _type(field)
    return {**schema, "description": field.description} if field.description else schema


def _type(field: FieldSpec) -> Schema:
    match field.kind:
        case FieldKind.TEXT:
            return {"type": ["string", "null"], "pattern": NOT_DOLLAR}
        case FieldKind.DATE | FieldKind.DATE_TIME:
            return {"type": ["string", "null"], "pattern": DATE_TEXT}
        case FieldKind.INTEGER:
            return {"type": ["integer", "null"]}
        case FieldKind.BOOLEAN:
            return {"type": ["boolean", "null"]}
        case FieldKind.CHOICE:
            return {"enum": [*field.choices, None]}
        case FieldKind.DECIMAL:
            return {
                "type": ["number", "string", "null"],
                "exclusiveMinimum": -DECIMAL_LIMIT,
                "exclusiveMaximum": DECIMAL_LIMIT,
                "pattern": DECIMAL_TEXT,
            }
        case FieldKind.REFERENCE:
            return {"$ref": "#/$defs/reference"}
        case FieldKind.LINES:
            return {"type": ["array", "null"], "items": _object(field.lines)}
