"""Lists that were exported as CSV or XLSX are recognised: importing them again changes
nothing but what was changed in the file."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from tests.builders import make_row, messages, model_of
from tests.importer.tables.lists import ORDERS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("goods")]


@pytest.fixture
def rows(admin, import_list):
    """Create a folder with an item that looks like a formula, and orders."""
    folder = make_row("Items", actor=admin, isFolder=True, code="0900", name="Cold")
    unit = model_of("UnitsOfMeasure").objects.get(code="kg")
    make_row(
        "Items",
        actor=admin,
        isFolder=False,
        code="0901",
        name="-5 °C; ice",
        parentId=folder.pk,
        category="goods",
        unitOfMeasureId=unit.pk,
        price="1234.5",
    )
    import_list(ORDERS, "SalesOrders")


@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("target", "query"),
    [("Items", {"search": "090"}), ("SalesOrders", {}), ("Counterparties", {})],
)
def test_an_exported_list_is_imported_without_a_click_and_changes_nothing(
    rows, target, query, form, admin, import_list
):
    client = APIClient()
    client.force_authenticate(admin)
    answer = client.get(f"/api/v1/{target}", {"format": form, **query})
    data = b"".join(answer.streaming_content)
    report = import_list(data, target, more={"onChange": "update"})
    assert messages(report) == {}
    assert len(report.items) == (2 if target == "Items" else 1)
    assert not report.counts["Inserted"]
    assert [entry.changes for entry in report.items if entry.changes] == []
    again = import_list(data, target, more={"onChange": "update"})
    assert again.counts["Unchanged"] == len(report.items)
