"""The adoption of rows created by users, by the properties in match."""

from __future__ import annotations

import pytest

from platform_site.changes.models import ChangeEvent
from tests.builders import (
    a_package,
    code,
    delete_row,
    edit_row,
    make_row,
    messages,
    model_of,
    outcomes,
    ref,
    row_of,
    units,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def pieces(admin):
    return make_row("UnitsOfMeasure", actor=admin, code="pcs", name="By hand")


def test_a_user_created_row_is_adopted_and_gets_the_objects_values(run, pieces):
    report = run(units("pcs", match=["code"]))
    assert outcomes(report) == {"unit:pcs": "Adopted"}
    (result,) = report.items
    assert result.changes == {"name": ["By hand", "pcs"]}
    assert result.row_id == pieces.pk
    pieces.refresh_from_db()
    assert (pieces.name, pieces.import_key) == ("pcs", "unit:pcs")
    assert model_of("UnitsOfMeasure").objects.count() == 1
    event = ChangeEvent.objects.latest("id")
    assert (event.action, event.run_id) == ("adopted", report.run_id)
    assert outcomes(run(units("pcs", match=["code"]))) == {"unit:pcs": "Unchanged"}


def test_without_match_the_same_row_blocks_the_object(run, pieces):
    report = run(units("pcs"))
    assert outcomes(report) == {"unit:pcs": "Failed"}
    assert messages(report)["unit:pcs"].startswith("steps[0].items[0].code: ")


def test_adoption_with_skip_only_marks_the_row(run, pieces):
    modified = pieces.modified
    report = run(units("pcs", match=["code"], onChange="skip"))
    assert outcomes(report) == {"unit:pcs": "Adopted"}
    pieces.refresh_from_db()
    assert (pieces.name, pieces.import_key) == ("By hand", "unit:pcs")
    assert pieces.modified == pieces.import_imported_at == modified
    assert ChangeEvent.objects.latest("id").changes == {}


def test_an_adopted_row_that_was_edited_counts_as_user_modified(run, pieces, admin):
    run(units("pcs", match=["code"], onChange="skip"))
    edit_row(pieces, actor=admin, name="Mine")
    changed = units("pcs")
    changed.steps[0]["items"][0]["name"] = "Theirs"
    assert outcomes(run(changed)) == {"unit:pcs": "SkippedUserModified"}


def test_a_row_of_another_package_is_not_adopted(run):
    run(units("pcs", package="corpus.b"))
    assert outcomes(run(units("pcs", match=["code"]))) == {"unit:pcs": "Failed"}
    assert row_of("UnitsOfMeasure", "pcs").import_source == "corpus.b"


def test_a_deleted_row_is_not_adopted(run, pieces, admin):
    """OPEN-09."""
    delete_row(pieces, actor=admin)
    assert outcomes(run(units("pcs", match=["code"]))) == {"unit:pcs": "Inserted"}
    assert row_of("UnitsOfMeasure", "pcs").pk != pieces.pk


def test_every_property_in_match_must_be_equal(run, pieces):
    package = units("pcs", match=["code", "name"])
    package.steps[0]["items"][0]["code"] = "other"
    assert outcomes(run(package)) == {"unit:pcs": "Inserted"}


def test_texts_match_exactly(run, pieces):
    assert outcomes(run(units("PCS", match=["code"]))) == {"unit:PCS": "Inserted"}


def test_several_rows_that_match_are_an_error(run, admin):
    """OPEN-09."""
    for each in ("a", "b"):
        make_row("UnitsOfMeasure", actor=admin, code=each, name="Twin")
    package = a_package().with_step("UnitsOfMeasure", match=["name"])
    report = run(package.unit("u", "new", name="Twin"))
    assert outcomes(report) == {"u": "Failed"}
    assert messages(report)["u"].startswith("steps[0].items[0]: 2 rows ")
    assert model_of("UnitsOfMeasure").objects.count() == 2


def test_two_objects_do_not_adopt_one_row(run, pieces):
    package = units("pcs", match=["code"]).unit("unit:again", "pcs")
    report = run(package, continue_on_error=True)
    assert outcomes(report) == {"unit:pcs": "Adopted", "unit:again": "Failed"}


def test_references_match_by_the_row_they_name(run, admin, pieces):
    for number in ("1", "2"):
        folder = make_row("Items", actor=admin, isFolder=True, code=number, name="F")
        make_row(
            "Items",
            actor=admin,
            isFolder=False,
            code=f"item {number}",
            name="Same",
            parentId=folder.pk,
            category="goods",
            unitOfMeasureId=pieces.pk,
        )
    package = a_package().with_step("Items", match=["name", "parentId"])
    package.goods("i", "item 2", code("pcs"), name="Same", parentId=code("2"))
    assert outcomes(run(package)) == {"i": "Adopted"}
    assert row_of("Items", "item 2").import_key == "i"


def test_a_row_adopted_in_this_run_can_be_referred_to(run, pieces):
    package = units("pcs", match=["code"]).with_step("Items")
    package.goods("by id", "1", ref("unit:pcs")).goods("by code", "2", code("pcs"))
    assert not run(package).has_errors
    assert {row.unit_of_measure_id for row in model_of("Items").objects.all()} == {
        pieces.pk
    }


def test_an_empty_value_matches_nothing(run, admin):
    make_row("Warehouses", actor=admin, code="w", name="W")
    package = a_package().with_step("Warehouses", match=["address"])
    report = run(package.item("w", code="new", name="N", address=None))
    assert outcomes(report) == {"w": "Inserted"}
