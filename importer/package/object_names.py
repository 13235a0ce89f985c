"""The names of objects: what people will call their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from importer.package.wire_values import as_text


def object_name(item: Mapping[str, Any], code: str) -> str:
    """Return the code and the name that an object gives, empty if it gives neither.

    ``code`` is the property with the code.
    """
    given = (as_text(item.get(key)) for key in dict.fromkeys((code, "name")))
    return " ".join(text for text in given if text)
