"""What a package gets of rows: their objects, their $id and their order."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from importer import Refusal, services
from importer.services import NotExportable
from tests.builders import (
    a_package,
    code,
    delete_row,
    edit_row,
    make_row,
    outcomes,
    ref,
    row_of,
    units,
)
from tests.importer.documents.packages import (
    company,
    issues,
    line as a_line,
    receipts,
    trade,
)
from tests.importer.exports.exporting import exported, items_of

pytestmark = pytest.mark.django_db


def goods(admin, code="A", **values):
    unit = row_of("UnitsOfMeasure", "pcs").pk
    plain = {"isFolder": False, "name": f"Item {code}", "category": "goods"}
    made = {**plain, "unitOfMeasureId": unit, "code": code, **values}
    return make_row("Items", actor=admin, **made)


def folder(admin, code, **values):
    made = {"isFolder": True, "name": f"Folder {code}", "code": code, **values}
    return make_row("Items", actor=admin, **made)


@pytest.fixture
def pcs(admin):
    return make_row("UnitsOfMeasure", actor=admin, code="pcs", name="pieces")


def test_an_object_has_the_properties_that_a_package_may_give(admin, pcs):
    goods(admin, price="7.9", barcode="4711")
    (item,) = items_of(exported("Items")).values()
    assert item == {
        "$id": "Items:A",
        "isFolder": False,
        "code": "A",
        "name": "Item A",
        "parentId": None,
        "description": "",
        "category": "goods",
        "unitOfMeasureId": {"$code": "pcs"},
        "barcode": "4711",
        "price": "7.9000",
    }


def test_rows_of_the_package_are_named_by_id_and_others_by_code(admin, pcs):
    goods(admin)
    alone, together = exported("Items"), exported("Items", "UnitsOfMeasure")
    of = items_of(together)["Items:A"]["unitOfMeasureId"]
    assert items_of(alone)["Items:A"]["unitOfMeasureId"] == code("pcs")
    assert of == ref("UnitsOfMeasure:pcs")


def test_folders_come_before_what_is_in_them(admin, pcs):
    above = folder(admin, "Z")
    below = folder(admin, "M", parentId=above.pk)
    goods(admin, parentId=below.pk)
    goods(admin, "B")
    assert [*items_of(exported("Items"))] == [
        "Items:B",
        "Items:Z",
        "Items:M",
        "Items:A",
    ]


def test_a_folder_has_no_properties_that_only_items_have(admin):
    folder(admin, "F")
    (item,) = items_of(exported("Items")).values()
    assert set(item) == {"$id", "isFolder", "code", "name", "parentId", "description"}


def test_deleted_rows_are_left_out(admin, pcs):
    delete_row(goods(admin), actor=admin)
    assert json.loads(exported("Items"))["steps"] == []


def test_the_order_of_rows_does_not_depend_on_the_language_of_the_database(admin):
    for each in ("b", "Ä", "a", "B", "_"):
        make_row("UnitsOfMeasure", actor=admin, code=each, name=each)
    codes = [item["code"] for item in items_of(exported("UnitsOfMeasure")).values()]
    assert codes == ["B", "_", "a", "b", "Ä"]


# -- ids -------------------------------------------------------------------------------


def test_an_imported_row_keeps_its_id_and_is_taken_over(run):
    run(units("kg", package="supplier"))
    content = exported("UnitsOfMeasure")
    assert [*items_of(content)] == ["unit:kg"]
    report = run(content, dry_run=True)
    assert outcomes(report) == {"unit:kg": "Adopted"}
    assert "supplier" in report.items[0].message


def test_of_two_rows_with_one_id_the_second_gets_its_code(run):
    run(a_package("one").with_step("UnitsOfMeasure").unit("x", "kg"))
    run(a_package("two").with_step("UnitsOfMeasure").unit("x", "g"))
    run(a_package("three").with_step("Currencies").item("x", code="EUR", name="Euro"))
    content = exported("UnitsOfMeasure", "Currencies")
    assert [*items_of(content)] == ["x", "UnitsOfMeasure:kg", "Currencies:EUR"]
    assert {*outcomes(run(content, dry_run=True)).values()} == {"Adopted"}


def test_an_id_of_a_deleted_row_of_the_same_package_is_not_used_again(run, admin):
    make_row("UnitsOfMeasure", actor=admin, code="kg", name="kilogram")
    run(exported("UnitsOfMeasure"))
    delete_row(row_of("UnitsOfMeasure", "kg"), actor=admin)
    make_row("UnitsOfMeasure", actor=admin, code="kg", name="kilogram")
    content = exported("UnitsOfMeasure")
    assert outcomes(run(content, dry_run=True)) == {"UnitsOfMeasure:kg~2": "Adopted"}


def test_rows_of_the_package_itself_are_not_taken_over_by_other_objects(run):
    mine = a_package("mine").with_step("UnitsOfMeasure").unit("a", "kg")
    run(mine)
    other = a_package("mine").with_step(
        "UnitsOfMeasure", match=["code"], takeOver=["*"]
    )
    other.unit("b", "kg")
    assert outcomes(run(other, dry_run=True)) == {"b": "Failed"}


def test_it_is_told_how_many_rows_have_changed_since_their_import(run, admin):
    make_row("UnitsOfMeasure", actor=admin, code="kg", name="kilogram")
    make_row("UnitsOfMeasure", actor=admin, code="g", name="gram")
    run(exported("UnitsOfMeasure"))
    edit_row(row_of("UnitsOfMeasure", "kg"), actor=admin, name="kilo")
    name = services.package_name(["UnitsOfMeasure"])
    found = services.selected(["UnitsOfMeasure"])
    file, done = services.exported_file(found, package=name)
    file.close()
    assert (done.counts, done.changed) == ({"UnitsOfMeasure": 2}, 1)


# -- documents -------------------------------------------------------------------------


def test_posted_documents_are_in_a_step_of_their_own(run):
    run(company())
    run(receipts(("r1", trade([a_line(quantity="3")])), ("r2", trade([a_line()]))))
    run(issues(("i", trade([a_line()], day=2)), submit=False))
    content = json.loads(exported("GoodsReceipts", "GoodsIssues"))
    said = [(s["document"], s.get("submit"), len(s["items"])) for s in content["steps"]]
    assert said == [("GoodsReceipts", True, 2), ("GoodsIssues", None, 1)]
    document = content["steps"][0]["items"][0]
    assert document["date"] == "2026-03-01T12:00:00Z"
    assert document["lines"][0]["itemId"] == code("RICE")
    assert not {"id", "total", "isActive", "version"} & document.keys()


# -- what no package can have ----------------------------------------------------------


def test_a_text_that_would_be_a_token_is_told_with_its_place(admin):
    make_row("UnitsOfMeasure", actor=admin, code="bag", name="$5 bag")
    with pytest.raises(NotExportable) as refused:
        exported("UnitsOfMeasure")
    (sentence,) = refused.value.sentences()
    assert sentence.startswith('UnitsOfMeasure bag $5 bag: name: "$5 bag" starts')


@pytest.mark.parametrize(
    ("names", "where", "said"),
    [
        (["Constants"], [], 'No package can have rows of "Constants".'),
        (["Itms"], [], 'Did you mean "Items"?'),
        ([], [], "Name at least one catalog"),
        (["Items"], ["prise=3"], 'Did you mean "price"?'),
        (["Items"], ["price=x"], "number"),
        (["Items"], ["price"], "property=value"),
        (["Items", "Accounts"], ["code=3"], "Items.code=3"),
        (["Items"], ["Accounts.code=3"], "Items.Accounts.code=3"),
        (["Items"], ["code=3", "code=4"], "given twice"),
    ],
)
def test_a_wrong_selection_is_refused_in_a_sentence(names, where, said):
    with pytest.raises(Refusal, match=said.replace("?", r"\?")):
        services.selected(names, where)


def test_filters_choose_the_rows(admin, pcs):
    goods(admin, "A", price="5")
    goods(admin, "B", price="10")
    assert [*items_of(exported("Items", price_from=10))] == ["Items:B"]


def test_a_window_takes_a_constant_number_of_queries(admin, pcs):
    def asked(count):
        for number in range(count):
            goods(admin, f"{count}-{number}")
        with CaptureQueriesContext(
            connection,
        ) as found:
            exported("Items", "UnitsOfMeasure")
        return len(found)

    assert asked(3) == asked(30)
