"""The published words of the API: operations, codes of problems and enumerations.
`make words` adds new ones to the list; it removes none."""

from __future__ import annotations

import json
from pathlib import Path

LIST = Path(__file__).with_name("frozen_words.json")


def words(described):
    """Return the words of a description by their kind."""
    operations = [
        f"{method.upper()} {path} {operation['operationId']}"
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    schemas = described["components"]["schemas"]
    enumerations = {
        name: sorted(schema["enum"])
        for name, schema in schemas.items()
        if "enum" in schema
    }
    codes = schemas["Problem"]["properties"]["code"]["enum"]
    return {
        "operations": sorted(operations),
        "problems": sorted(codes),
        **dict(sorted(enumerations.items())),
    }


def published():
    """Return the listed words by their kind."""
    return json.loads(LIST.read_text("utf-8"))


def add_new():
    """Write the list with the words of the present description."""
    import django  # noqa: PLC0415 - a test that reads the list is set up already

    django.setup()
    from platform_site.site.api import documentation  # noqa: PLC0415 - after it is set up

    found = words(documentation._description())
    listed = published() if LIST.exists() else {}
    every = {
        kind: sorted({*listed.get(kind, ()), *found.get(kind, ())})
        for kind in [*found, *(kind for kind in listed if kind not in found)]
    }
    LIST.write_text(json.dumps(every, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    add_new()
