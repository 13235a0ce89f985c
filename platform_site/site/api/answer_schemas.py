"""The description of responses: which properties are always there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

_SCHEMAS: Final = "#/components/schemas/"
_EXPANDED: Final = "/ExpandedRow"
# Properties that responses may leave out; all others are always there.
_SOMETIMES: Final = {
    "Changes": {"count", "previous"},
    # An import has other outcomes than an undo, and missing rows only if they count.
    "ImportCounts": None,
    # Each code has its own members.
    "Problem": None,
    # As it was saved.
    "TableColumn": None,
}
_OF_PAGES: Final = {"count", "previous"}


def require_answered(result: Any, **kwargs: Any) -> Any:
    """Mark the properties that every response has, for drf-spectacular, which takes
    only those for required that a request needs."""
    schemas = result["components"]["schemas"]
    given = {
        name
        for operations in result["paths"].values()
        for operation in operations.values()
        for name in _reached(operation["responses"], schemas, set())
    }
    for name in given:
        sometimes = _SOMETIMES.get(name, set())
        if sometimes is not None and "properties" in schemas[name]:
            schemas[name]["required"] = [*_always_there(schemas[name], sometimes)]
    return result


def _reached(part: Any, schemas: dict[str, Any], found: set[str]) -> set[str]:
    """Return the names of the schemas that a part refers to, directly or not."""
    for name in schema_names(part):
        if name not in found:
            found.add(name)
            _reached(schemas[name], schemas, found)
    return found


def schema_names(part: Any) -> Iterator[str]:
    """Yield the names of the schemas that a part of the description refers to."""
    if isinstance(part, dict):
        reference = part.get("$ref")
        if isinstance(reference, str) and reference.startswith(_SCHEMAS):
            yield reference.removeprefix(_SCHEMAS)
    values = part.values() if isinstance(part, dict) else part
    if isinstance(part, (dict, list)):
        for value in values:
            yield from schema_names(value)


def _always_there(schema: dict[str, Any], sometimes: set[str]) -> Iterator[str]:
    # Numbered pages have a count; those with a cursor have neither.
    pages = _OF_PAGES if "count" not in schema.get("required", ()) else set()
    is_page = {"next", "results"} <= schema["properties"].keys()
    for name, one in schema["properties"].items():
        if _EXPANDED in str(one) or name in sometimes:
            continue
        if is_page and name in pages:
            continue
        yield name
