"""The check of the values of a source: its name, its origin and its description."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from importer import registry
from importer.models import TableSource
from importer.tables.description_check import DescriptionRefused
from importer.tables.origins import origin_of
from importer.tables.packages import table_description

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
# The path of the endpoint that looks at a table.
_RESERVED = ("detect",)
_OWN = ("origin", "enabled")
_TOO_LARGE = 2**63


def mapping_of(given: Any) -> Mapping[str, Any]:
    """Return the values of a source as a database can store them; raise
    DescriptionRefused if it can't."""
    if not isinstance(given, Mapping):
        raise DescriptionRefused({"$": _("a description must be a JSON object")})
    values, errors = {}, {}
    for name, value in given.items():
        try:
            values[name] = _storable(value)
        except ValueError as refusal:
            errors[name] = str(refusal)
    if errors:
        raise DescriptionRefused(errors)
    return values


def _storable(value: Any) -> Any:
    """Return a JSON value with binary fractions; raise ValueError for what isn't
    stored."""
    if isinstance(value, str) and "\0" in value:
        raise ValueError(_("must not contain control characters"))
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, (int, float)) and abs(value) >= _TOO_LARGE:
        raise ValueError(_("the number is too large"))
    if isinstance(value, list):
        return [_storable(each) for each in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(each) for key, each in value.items()}
    return value


def fill(source: TableSource, given: Mapping[str, Any], errors: dict[str, str]) -> None:
    """Set the values of a source; raise DescriptionRefused with all errors."""
    origin, wrong = origin_of(given.get("origin"))
    errors = {**errors, **wrong}
    if not isinstance(given.get("enabled", True), bool):
        errors["enabled"] = _("must be true or false")
    described = {k: v for k, v in given.items() if k not in _OWN}
    # The package is called as the source.
    described["name"] = source.name or None
    try:
        description = table_description(described)
    except DescriptionRefused as refusal:
        raise DescriptionRefused({**refusal.errors, **errors}) from None
    if errors:
        raise DescriptionRefused(errors)
    source.description = description.wire()
    source.origin = origin
    source.enabled = given.get("enabled", True)


def wrong_name(name: Any) -> str:
    """Return why a name can't be that of a new source, empty if it can."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return _(
            "must be 1 to 60 letters, digits or _ of the Latin alphabet, and begin "
            "with a letter"
        )
    if name.casefold() in _RESERVED:
        return _("this name is reserved; choose another one")
    used = {known.casefold() for known in registry.targets()}
    if name.casefold() in used:
        return _("a catalog, a document or a data processor has this name already")
    if TableSource.objects.filter(name__iexact=name).exists():
        return taken()
    return ""


def taken() -> str:
    """Return the refusal of a name that another source has."""
    return _("another source has this name already")
