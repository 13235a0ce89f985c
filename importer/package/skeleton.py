"""Check header and step keys against the printed schema, in sentences (OPEN-01, 03).

The skeleton is the package without its objects; ``jsonschema`` judges it by the very
schema ``import_schema`` prints, and each complaint becomes a diagnostic with a path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from importer.package import paths
from importer.package.shapes import Diagnostic, error
from importer.package.wire_values import not_an_identifier, short

_TYPES = {
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
    "number": "a number",
}


class SkeletonCheck:
    """Judge skeletons by one schema, compiled once."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._validator = Draft202012Validator(schema)
        self._kinds = frozenset(schema["$defs"]["step"]["properties"])

    def __call__(self, skeleton: Any) -> list[Diagnostic]:
        """Return an error for each complaint, in the order of the package."""
        found: dict[str, Diagnostic] = {}
        for complaint in sorted(self._validator.iter_errors(skeleton), key=_order):
            for path, reason in self._sentences(complaint):
                found.setdefault(path, error(path, reason))
        return list(found.values())

    def _sentences(self, complaint: ValidationError) -> Iterator[tuple[str, str]]:
        last = complaint.absolute_path[-1] if complaint.absolute_path else ""
        if complaint.validator == "enum" and last in self._kinds:
            known: Any = complaint.validator_value
            given = complaint.instance
            reason = f"nothing called {short(given)} can be imported in such a step"
            if "then" in complaint.absolute_schema_path:
                reason = f"{short(given)} cannot be created from that"
            yield (
                paths.of_keys(list(complaint.absolute_path)),
                reason + _near(given, known),
            )
        else:
            yield from _sentences(complaint)


def _order(complaint: ValidationError) -> list[tuple[bool, Any]]:
    """Order complaints as a reader goes through the package: header, then steps."""
    keys = list(complaint.absolute_path)
    return [
        (bool(keys) and keys[0] == "steps", ""),
        *((isinstance(k, str), k) for k in keys),
    ]


def _sentences(complaint: ValidationError) -> Iterator[tuple[str, str]]:
    keys = list(complaint.absolute_path)
    base = paths.of_keys(keys)
    inside = "" if base == paths.WHOLE else base
    wanted: Any = complaint.validator_value
    given: Any = complaint.instance
    match complaint.validator:
        case "required":
            for name in wanted:
                if name not in given:
                    yield paths.inside(inside, name), "is required"
        case "additionalProperties":
            known = complaint.schema.get("properties", {})  # type: ignore[union-attr]
            for key in given:
                if key not in known:
                    yield paths.inside(inside, key[:100]), "no such key"
        case _:
            reason = _about_kinds(str(complaint.validator), wanted)
            yield base, reason or _reason(complaint, keys, wanted, given)


def _about_kinds(rule: str, wanted: Any) -> str:
    """Say what is wrong with the keys that name a step's kind, if it is that."""
    if rule == "oneOf":
        listed = " or ".join(kind["required"][0] for kind in wanted)
        return f"a step needs exactly one key that says its kind: {listed}"
    if rule == "dependentRequired":
        needs = [f"{key} needs {' and '.join(by)}" for key, by in wanted.items()]
        return f"{'; '.join(needs)} beside it"
    return ""


def _reason(
    complaint: ValidationError, keys: list[str | int], wanted: Any, given: Any
) -> str:
    last = keys[-1] if keys else ""
    match complaint.validator:
        case "const" if last == "configuration":
            return (
                f"the package belongs to the configuration {short(given)}; "
                f"this installation is {short(wanted)}"
            )
        case "const":
            return f"must be {short(wanted)}, not {short(given)}"
        case "enum" if "match" in keys:
            return f"there is no property {short(given)} to match by"
        case "enum":
            return f"must be one of {', '.join(map(str, wanted))}, not {short(given)}"
        case "type":
            types = [wanted] if isinstance(wanted, str) else wanted
            names = " or ".join(_TYPES[name] for name in types)
            return f"must be {names}, not {short(given)}"
        case "minLength" | "maxLength":
            rule: Any = complaint.schema
            return f"must have 1 to {rule['maxLength']} characters"
        case "minimum" | "maximum":
            rule = complaint.schema
            return f"must lie between {rule['minimum']} and {rule['maximum']}"
        case "pattern":
            return not_an_identifier(given)
    return complaint.message


def _near(given: Any, known: list[str]) -> str:
    """Offer the name that differs only in its letters' case."""
    if isinstance(given, str):
        for name in known:
            if name.lower() == given.lower():
                return f'; did you mean "{name}"?'
    return ""
