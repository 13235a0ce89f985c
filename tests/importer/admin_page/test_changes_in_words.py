"""The changes of rows in a report, labelled like in the history of the row."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.builders import edit_row, ref, row_of, units

pytestmark = pytest.mark.django_db


def changed(report):
    """Return the changes in a report: property, before and after."""
    told = r"<strong>([^<]*)</strong> <del>([^<]*)</del>.*?<ins>([^<]*)</ins>"
    return re.findall(told, report)


def test_changes_are_shown_with_the_labels_of_the_pages(visitor, run):
    package = units("pcs", "box").with_step("Items").folder("folder", "F", name="Food")
    for number in range(3):
        package.goods(f"item:{number}", f"I-{number}", ref("unit:pcs"), price="1.5")
    run(package)
    for item in package.steps[1]["items"][1:]:
        item |= {
            "price": "2",
            "unitOfMeasureId": ref("unit:box"),
            "parentId": ref("folder"),
        }
    written = {"run": run(package).run_id, "outcome": "Updated"}
    expected = [
        ("Unit of measure", "pcs pcs", "box box"),
        ("In folder", "—", "F Food"),
        ("Price", "1.50", "2.00"),
    ]
    with CaptureQueriesContext(connection) as for_one:
        assert sorted(changed(visitor.text(**written, search="item:1"))) == sorted(
            expected
        )
    with CaptureQueriesContext(connection) as for_all:
        assert sorted(changed(visitor.text(**written))) == sorted(expected * 3)
    assert len(for_all) == len(for_one)


def test_a_dry_run_shows_changes_of_rows_that_do_not_exist_yet(visitor, run):
    package = units("pcs").with_step("Items")
    run(package.goods("item:1", "I-1", ref("unit:pcs")))
    package.folder("folder", "F", name="Food")
    package.steps[1]["items"].reverse()
    package.steps[1]["items"][1]["parentId"] = ref("folder")
    report = visitor.text(run=run(package, dry_run=True).run_id, outcome="Updated")
    assert changed(report) == [("In folder", "—", "a new row")]


def test_a_kept_row_is_shown_beside_the_values_of_the_package(visitor, run, admin):
    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="<b>Mine</b>")
    package = units("pcs")
    package.steps[0]["items"][0]["name"] = "Theirs"
    report = visitor.text(run=run(package).run_id)
    told = (
        r"<strong>([^<]*)</strong> here <b>([^<]*)</b>, in the package <b>([^<]*)</b>"
    )
    assert re.findall(told, report) == [
        ("Name", "&lt;b&gt;Mine&lt;/b&gt;", "Theirs"),
    ]
    assert not changed(report)


def test_a_conflict_is_shown_with_its_three_values(visitor, run, admin):
    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine", code="MY")
    package = units("pcs", onUserModified="merge")
    package.steps[0]["items"][0]["name"] = "Theirs"
    report = visitor.text(run=run(package).run_id)
    told = (
        r"<strong>([^<]*)</strong> last imported <b>([^<]*)</b>, here <b>([^<]*)</b>, "
        r"in the package <b>([^<]*)</b>"
    )
    assert re.findall(told, report) == [("Name", "pcs", "Mine", "Theirs")]
    assert "<strong>Code</strong> here <b>MY</b>, in the package <b>pcs</b>" in report
