"""Exports in tests: their bytes, their objects, and an installation without rows."""

from __future__ import annotations

import json

from importer import services
from tests.builders import empty_tables


def exported(*names, package="", **where):
    """Return the bytes of an export of catalogs and documents."""
    filters = [f"{name}={value}" for name, value in where.items()]
    chosen = names or tuple(services.exportable())
    package = package or services.package_name(chosen, filters)
    selections = services.selected(chosen, filters)
    file, _done = services.exported_file(selections, package=package)
    with file:
        return file.read()


def items_of(content):
    """Return the objects of a package by their ``$id``."""
    steps = json.loads(content)["steps"]
    return {item["$id"]: item for step in steps for item in step["items"]}


def leave_nothing():
    """Remove all rows, as in another installation."""
    empty_tables()
