"""The description of rows in responses: which properties are always there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from platform_site.records.serializers import RowStateSerializer

_STATE: Final = frozenset(RowStateSerializer().fields)
_REFERENCE: Final = "#/components/schemas/"
_EXPANDED: Final = f"{_REFERENCE}ExpandedRow"


def require_answered(result: Any, **kwargs: Any) -> Any:
    """Mark the properties that every row and line has, for drf-spectacular, which takes
    only those for required that a request needs."""
    schemas = result["components"]["schemas"]
    for name in _rows(schemas):
        schemas[name]["required"] = _always_there(schemas[name])
    return result


def _rows(schemas: dict[str, Any]) -> Iterator[str]:
    for name, schema in schemas.items():
        properties = schema.get("properties", {})
        if properties.keys() >= _STATE:
            yield name
            if lines := properties.get("lines"):
                yield lines["items"]["$ref"].removeprefix(_REFERENCE)


def _always_there(schema: dict[str, Any]) -> list[str]:
    return [
        name for name, one in schema["properties"].items() if _EXPANDED not in str(one)
    ]
