"""A run of a table is an ordinary run: its plan, its undo and decisions about it."""

from __future__ import annotations

import pytest

from catalogs.models import Item
from importer.runs.decisions import order_of_decision
from importer.runs.execution import execute
from importer.services import ImportOptions, KeptRows, import_plan
from tests.builders import edit_row, messages, outcomes, row_of
from tests.importer.tables.lists import GERMAN

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("trade")]
ON_ERRORS = ImportOptions(continue_on_error=True)


def test_the_plan_of_a_dry_run_is_imported_with_the_lines_of_the_table(
    import_list, admin
):
    dry = import_list(GERMAN, "Items", dry_run=True)
    report = import_plan(dry.run_id, ON_ERRORS, user=admin)
    assert report.counts["Inserted"] == 5
    assert messages(report) == messages(dry)
    assert Item.objects.count() == 5


def test_a_kept_row_takes_the_value_of_the_table_when_that_is_decided(
    import_list, admin
):
    import_list(GERMAN, "Items")
    edit_row(row_of("Items", "4711"), actor=admin, price="99")
    changed = GERMAN.replace(b"12,50", b"13,50")
    report = import_list(changed, "Items")
    assert outcomes(report)["Items:4711"] == "SkippedUserModified"
    kept = KeptRows(frozenset({"Items:4711"}))
    order = order_of_decision(report.run_id, kept, ON_ERRORS, admin)
    with order.source:
        decided = execute(order)
    assert outcomes(decided) == {"Items:4711": "Updated"}
