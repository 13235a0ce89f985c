"""The JSON Schema (2020-12) of all packages of an installation (OPEN-58).

It has one branch per step kind and target, from the same descriptions as the check.
"""

from __future__ import annotations

from collections.abc import Iterable

from importer.package.check import ID, MAX_ID
from importer.package.earlier_names import WAS
from importer.package.fields import FieldSpec, SourceSpec, TargetSpec
from importer.package.given_errors import ERRORS
from importer.package.property_schema import Schema, definitions, object_schema
from importer.package.shapes import FORMAT, MAX_VERSION, Origin
from importer.package.step_kinds import StepKind
from importer.package.step_objects import created_fields, submitted_field
from importer.package.step_schema import (
    MAX_PACKAGE,
    Steps,
    identifier,
    package_names,
)
from importer.package.wire_values import IDENTIFIER

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_OPTIONAL = ("$schema", "renamedFrom", "columns")


def package_schema(
    configuration: str, kinds: Iterable[StepKind], targets: Iterable[TargetSpec]
) -> Schema:
    """Return the schema that every package of the configuration must match."""
    kinds, targets = list(kinds), list(targets)
    header: Schema = {
        "$schema": {"description": "Where an editor finds this schema."},
        "format": {"const": FORMAT, "description": "The format of this file."},
        "package": identifier(
            "The permanent name of the package. It is part of every mark.", MAX_PACKAGE
        ),
        "version": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_VERSION,
            "description": "Raise it whenever the content changes.",
        },
        "origin": {
            "enum": [o.value for o in Origin],
            "description": "Whether the content is real data or demo data.",
        },
        "configuration": {
            "const": configuration,
            "description": "The configuration that the package is for.",
        },
        "steps": {
            "type": "array",
            "items": {"$ref": "#/$defs/step"},
            "description": "The steps, applied in order.",
        },
        "renamedFrom": package_names("Earlier names of the package."),
        "columns": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "The column of each property, in a package that a program "
            "made from a table. Messages then name line and column.",
        },
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
            **definitions(),
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
        # Properties that may be empty add null.
        "type": ["object", "null"],
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
        "properties": {
            "$ref": identifier(
                "The `$id` of an earlier object of this package.", MAX_ID
            ),
            "$code": {
                "type": "string",
                "minLength": 1,
                "pattern": IDENTIFIER,
                "description": "The code of an existing row.",
            },
        },
        "examples": [{"$code": "pcs"}, {"$ref": "item:bag"}],
    }


def _item(target: TargetSpec) -> Schema:
    return _identified(target, target.fields)


def _created(target: TargetSpec, source: SourceSpec) -> Schema:
    return _identified(target, created_fields(target, source))


def _identified(target: TargetSpec, fields: tuple[FieldSpec, ...]) -> Schema:
    if target.submitted:
        fields = (*fields, submitted_field(target))
    schema = object_schema(fields)
    schema["properties"] = {
        ID: identifier(
            "The permanent name of the object, unique in the whole package.", MAX_ID
        ),
        WAS: identifier("The `$id` of the object in earlier versions.", MAX_ID),
        ERRORS: {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "string", "minLength": 1},
            "description": "Why the program that made the package could not read the "
            "object: a sentence for each wrong property. The object is `Failed`.",
        },
        **schema["properties"],
    }
    schema["required"] = [ID, *schema["required"]]
    return schema
