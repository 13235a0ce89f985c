"""Rows that the lists refer to, and a function that imports a list."""

from __future__ import annotations

import io

import pytest

from importer.services import ImportOptions, import_package
from importer.tables.packages import package_of, propose_table, table_description
from tests.builders import make_row
from tests.importer.api.conftest import calls as calls  # a fixture, offered here too


@pytest.fixture
def trade(admin):
    """Create units, a currency, a customer and two items."""
    for code in ("pcs", "kg"):
        make_row("UnitsOfMeasure", actor=admin, code=code, name=code)
    make_row("Currencies", actor=admin, code="EUR", name="Euro")
    make_row("Counterparties", actor=admin, code="C1", name="Customer")


@pytest.fixture
def goods(trade, import_list):
    """Create the items that the orders name."""
    columns = [
        *({"property": name, "column": name} for name in ("code", "name")),
        {"property": "isFolder", "default": False},
        {"property": "category", "default": "goods"},
        {"property": "unitOfMeasureId", "default": "pcs"},
    ]
    described = {
        "target": "Items",
        "name": "goods",
        "columns": columns,
        "key": ["code"],
    }
    report = import_list(b"code;name\n4711;Bolt\n4713;Nut\n", described)
    assert report.counts["Inserted"] == 2


@pytest.fixture
def import_list(admin):
    """Return a function that imports a list, as it is described or as it is proposed
    for a target; `more` is added to the description."""

    def import_it(data, how, more=None, **options):
        table = io.BytesIO(data)
        if isinstance(how, str):
            how = propose_table(table, how).description.wire()
        description = table_description({**how, **(more or {})})
        with package_of(table, description) as package:
            run = ImportOptions(continue_on_error=True, **options)
            return import_package(package, run, user=admin)

    return import_it
