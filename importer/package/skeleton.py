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
from importer.package.words import gettext as _
from importer.package.words import gettext_noop

_TYPES = {
    "string": gettext_noop("a text"),
    "integer": gettext_noop("a whole number"),
    "boolean": gettext_noop("true or false"),
    "array": gettext_noop("an array"),
    "object": gettext_noop("an object"),
    "null": "null",
    "number": gettext_noop("a number"),
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
            reason = _("nothing called %(name)s can be imported in such a step")
            if "then" in complaint.absolute_schema_path:
                reason = _("%(name)s cannot be created from that")
            yield (
                paths.of_keys(list(complaint.absolute_path)),
                reason % {"name": short(given)} + _near(given, known),
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
                    yield paths.inside(inside, name), _("is required")
        case "additionalProperties":
            known = complaint.schema.get("properties", {})  # type: ignore[union-attr]
            for key in given:
                if key not in known:
                    yield paths.inside(inside, key[:100]), _("no such key")
        case _:
            reason = _about_kinds(str(complaint.validator), wanted)
            yield base, reason or _reason(complaint, keys, wanted, given)


def _about_kinds(rule: str, wanted: Any) -> str:
    """Say what is wrong with the keys that name a step's kind, if it is that."""
    if rule == "oneOf":
        kinds = _(" or ").join(kind["required"][0] for kind in wanted)
        return _("a step needs exactly one key that says its kind: %(kinds)s") % {
            "kinds": kinds
        }
    if rule == "dependentRequired":
        needs = (
            _("%(key)s needs %(others)s beside it")
            % {"key": key, "others": _(" and ").join(others)}
            for key, others in wanted.items()
        )
        return "; ".join(needs)
    return ""


def _reason(
    complaint: ValidationError, keys: list[str | int], wanted: Any, given: Any
) -> str:
    last = keys[-1] if keys else ""
    match complaint.validator:
        case "const" if last == "configuration":
            sentence = _(
                "the package belongs to the configuration %(given)s; "
                "this installation is %(wanted)s"
            )
            return sentence % {"given": short(given), "wanted": short(wanted)}
        case "const":
            sentence = _("must be %(wanted)s, not %(value)s")
            return sentence % {"wanted": short(wanted), "value": short(given)}
        case "enum" if "match" in keys:
            sentence = _("there is no property %(name)s to match by")
            return sentence % {"name": short(given)}
        case "enum":
            choices = ", ".join(map(str, wanted))
            sentence = _("must be one of %(choices)s, not %(value)s")
            return sentence % {"choices": choices, "value": short(given)}
        case "type":
            types = [wanted] if isinstance(wanted, str) else wanted
            names = _(" or ").join(_(_TYPES[name]) for name in types)
            sentence = _("must be %(wanted)s, not %(value)s")
            return sentence % {"wanted": names, "value": short(given)}
        case "minLength" | "maxLength":
            rule: Any = complaint.schema
            sentence = _("must have 1 to %(most)s characters")
            return sentence % {"most": rule["maxLength"]}
        case "minimum" | "maximum":
            rule = complaint.schema
            sentence = _("must lie between %(least)s and %(most)s")
            return sentence % {"least": rule["minimum"], "most": rule["maximum"]}
        case "pattern":
            return not_an_identifier(given)
    return complaint.message


def _near(given: Any, known: list[str]) -> str:
    """Offer the name that differs only in its letters' case."""
    if isinstance(given, str):
        for name in known:
            if name.lower() == given.lower():
                return _('; did you mean "%(name)s"?') % {"name": name}
    return ""
