"""The check of header and step keys against the published schema (OPEN-01).

It validates the package without its objects against the schema that ``import_schema``
prints. Each error that ``jsonschema`` finds becomes a diagnostic with a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from importer.package import paths
from importer.package.hashing import canonical
from importer.package.json_values import too_deep
from importer.package.schema_match import NotSupported, matches
from importer.package.shapes import Diagnostic, error
from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _, gettext_noop
from importer.package.wire_values import not_an_identifier, short

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_MOST_COMPLAINTS = 1000
_MOST_REMEMBERED = 1000
_NONE = frozenset[str]()
_TYPES = {
    "string": gettext_noop("a string"),
    "integer": gettext_noop("a whole number"),
    "boolean": gettext_noop("true or false"),
    "array": gettext_noop("an array"),
    "object": gettext_noop("an object"),
    "null": "null",
    "number": gettext_noop("a number"),
}


class HeaderCheck:
    """The check of headers and steps against one schema."""

    def __init__(self, schema: dict[str, Any]) -> None:
        definitions = self._definitions = schema["$defs"]
        self.required = frozenset(schema["required"])
        header = {**schema["properties"], "steps": {"type": "array"}}
        self._header = {**schema, "properties": header}
        self._step = {"$ref": "#/$defs/step", "$defs": definitions}
        self._kinds = frozenset(definitions["step"]["properties"])
        self._keys = self._kinds.union(
            *(branch.get("properties", ()) for branch in definitions.values())
        )
        self._good: set[bytes] = set()

    def __call__(self, package: Any) -> list[Diagnostic]:
        """Return all errors, in the order of the package."""
        found = self.header(package)
        steps = package.get("steps") if isinstance(package, dict) else None
        for index, step in enumerate(steps if isinstance(steps, list) else ()):
            found += self.step(index, step)
        return found

    def header(self, keys: Any) -> list[Diagnostic]:
        """Return the errors of a header."""
        return self._judge(self._header, keys, "")

    def step(self, index: int, keys: Any) -> list[Diagnostic]:
        """Return the errors of one step.

        Results are cached by keys, which most steps share.
        """
        base = paths.step_path(index)
        try:
            written = canonical(keys)
        except (UnicodeEncodeError, RecursionError):
            # A lone surrogate in a key, or nesting at the limit.
            return self._judge(self._step, keys, base)
        if written in self._good:
            return []
        found = self._judge(self._step, keys, base)
        if not found:
            if len(self._good) >= _MOST_REMEMBERED:
                self._good.clear()
            self._good.add(written)
        return found

    def _judge(self, schema: dict[str, Any], keys: Any, base: str) -> list[Diagnostic]:
        found: dict[str, Diagnostic] = {}
        try:
            if self._is_valid(schema, keys):
                return []
            validator = self._validators[schema is self._step]
            complaints = list(islice(validator.iter_errors(keys), _MOST_COMPLAINTS))
            for complaint in sorted(complaints, key=_order):
                errors = islice(
                    self._errors_of(complaint, self._kinds if base else _NONE),
                    _MOST_COMPLAINTS,
                )
                for inner, reason in errors:
                    path = paths.inside(base, inner) or paths.WHOLE
                    found.setdefault(path, error(path, reason))
        except RecursionError:
            return [error(base or paths.WHOLE, too_deep())]
        return list(found.values())

    @cached_property
    def _validators(self) -> tuple[Any, Any]:
        """Return the validators of headers and of steps."""
        # A valid package doesn't need it: it takes megabytes, and with the extra
        # "format" installed two seconds.
        from jsonschema import Draft202012Validator  # noqa: PLC0415

        return Draft202012Validator(self._header), Draft202012Validator(self._step)

    def _is_valid(self, schema: dict[str, Any], keys: Any) -> bool:
        """Return whether keys are valid, False if ``jsonschema`` must judge them."""
        try:
            return matches(schema, keys, self._definitions)
        except NotSupported:
            return False

    def _errors_of(
        self, complaint: ValidationError, kinds: frozenset[str]
    ) -> Iterator[tuple[str, str]]:
        last = complaint.absolute_path[-1] if complaint.absolute_path else ""
        given: Any = complaint.instance
        if complaint.validator == "enum" and last in kinds:
            known: Any = complaint.validator_value
            reason = _("%(name)s can't be imported in a step of this kind")
            if "then" in complaint.absolute_schema_path:
                reason = _("%(name)s can't be created from this source")
            reason %= {"name": short(given)}
            yield (
                paths.of_keys(list(complaint.absolute_path)),
                reason + did_you_mean(given, known),
            )
        elif complaint.validator == "oneOf" and (wrong := self._misspelt(given)):
            yield from wrong
        else:
            elsewhere = self._keys if kinds else _NONE
            yield from _sentences(complaint, kinds, elsewhere)

    def _misspelt(self, step: Any) -> list[tuple[str, str]]:
        """Return the keys of a step without a kind that resemble one."""
        if not isinstance(step, dict) or self._kinds & step.keys():
            return []
        unknown = [key for key in step if key not in self._keys]
        return [
            (key, _("unknown key") + hint)
            for key in unknown[:_MOST_COMPLAINTS]
            if (hint := did_you_mean(key, self._kinds))
        ]


def _order(complaint: ValidationError) -> list[tuple[bool, Any]]:
    """Return the sort key that puts errors in the order of the package."""
    return [(isinstance(k, str), k) for k in complaint.absolute_path]


def _sentences(
    complaint: ValidationError, kinds: frozenset[str], elsewhere: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield path and message of an error; ``elsewhere`` are keys of other steps."""
    keys = list(complaint.absolute_path)
    base = paths.of_keys(keys) if keys else ""
    wanted: Any = complaint.validator_value
    given: Any = complaint.instance
    match complaint.validator:
        case "required":
            for name in wanted:
                if name not in given:
                    yield paths.inside(base, name), _("is required")
        case "additionalProperties":
            known = complaint.schema.get("properties", {})  # type: ignore[union-attr]
            for key in given:
                if key in known:
                    continue
                if key in elsewhere:
                    reason = _("steps of this kind don't have this key")
                    yield paths.inside(base, key), reason
                else:
                    hint = did_you_mean(key, {*known, *kinds})
                    yield paths.inside(base, key[:100]), _("unknown key") + hint
        case _:
            reason = _about_kinds(str(complaint.validator), wanted, given)
            yield base, reason or _reason(complaint, keys, wanted, given)


def _about_kinds(rule: str, wanted: Any, given: Any) -> str:
    """Return the message about the keys that name a step's kind, empty if there is
    none."""
    if rule == "oneOf":
        kinds = _(" or ").join(kind["required"][0] for kind in wanted)
        return _("a step needs exactly one key for its kind: %(kinds)s") % {
            "kinds": kinds
        }
    if rule == "dependentRequired":
        needs = (
            _("%(key)s can be used only together with %(others)s")
            % {"key": key, "others": _(" and ").join(others)}
            for key, others in wanted.items()
            if key in given and not given.keys() >= {*others}
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
                "the package is for the configuration %(given)s; this "
                "installation has the configuration %(wanted)s"
            )
            return sentence % {"given": short(given), "wanted": short(wanted)}
        case "const":
            sentence = _("must be %(wanted)s, not %(value)s")
            return sentence % {"wanted": short(wanted), "value": short(given)}
        case "enum" if "match" in keys:
            sentence = _("there is no property %(name)s to match by")
            return sentence % {"name": short(given)} + did_you_mean(given, wanted)
        case "enum":
            choices = ", ".join(map(str, wanted))
            sentence = _("must be one of %(choices)s, not %(value)s")
            sentence %= {"choices": choices, "value": short(given)}
            return sentence + did_you_mean(given, wanted)
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
            sentence = _("must be between %(least)s and %(most)s")
            return sentence % {"least": rule["minimum"], "most": rule["maximum"]}
        case "maxItems":
            return _("must have at most %(most)s entries") % {"most": wanted}
        case "pattern":
            return (
                _not_a_share(given) if last == "maxDelete" else not_an_identifier(given)
            )
    return complaint.message


def _not_a_share(given: Any) -> str:
    sentence = _(
        "must be a number of rows, or a share of them from 0%% to 100%% such as "
        '"5%%", not %(value)s'
    )
    return sentence % {"value": short(given)}
