"""How references find their rows, and the forms a package may have."""

from __future__ import annotations

import io
import json

import pytest

from importer import services
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


def one_item(unit, **properties):
    return a_package().with_step("Items").goods("item:1", "1", unit, **properties)


@pytest.fixture
def pieces(admin):
    return make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Pieces")


@pytest.mark.parametrize("window", [1, 1000])
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_code_finds_a_folder_created_in_the_same_run(run, pieces, window, dry_run):
    package = a_package().with_step("Items").folder("f", "tools")
    package.goods("i", "1", code("pcs"), parentId=code("tools"))
    report = run(package, window=window, dry_run=dry_run)
    assert outcomes(report) == {"f": "Inserted", "i": "Inserted"}


def test_a_code_is_looked_up_in_the_table_the_property_refers_to(run, admin):
    make_row("Warehouses", actor=admin, code="x", name="Warehouse")
    make_row("Items", actor=admin, isFolder=True, code="x", name="Folder")
    unit = make_row("UnitsOfMeasure", actor=admin, code="x", name="Unit")
    assert not run(one_item(code("x"), parentId=code("x"))).has_errors
    row = row_of("Items", "1")
    assert row.unit_of_measure_id == unit.pk
    assert row.parent.name == "Folder"


def test_a_deleted_row_is_not_found_by_its_code(run, admin, pieces):
    delete_row(pieces, actor=admin)
    report = run(one_item(code("pcs")))
    path = "steps[0].items[0].unitOfMeasureId"
    assert messages(report)["item:1"].startswith(f"{path}: ")
    assert [d.path for d in report.diagnostics if d.severity == "Error"] == [path]


def test_codes_are_compared_letter_for_letter(run, pieces):
    assert outcomes(run(one_item(code("PCS")))) == {"item:1": "Failed"}


def test_a_reference_finds_a_kept_row(run, admin):
    run(units("pcs"))
    edit_row(row_of("UnitsOfMeasure", "pcs"), actor=admin, name="Mine")
    package = units("pcs")
    package.steps[0]["items"][0]["name"] = "Theirs"
    package.with_step("Items").goods("i", "1", ref("unit:pcs"))
    assert outcomes(run(package)) == {
        "unit:pcs": "SkippedUserModified",
        "i": "Inserted",
    }


def test_a_reference_to_a_deleted_row_is_refused_by_the_services(run, admin):
    run(units("pcs"))
    delete_row(row_of("UnitsOfMeasure", "pcs"), actor=admin)
    report = run(units("pcs").with_step("Items").goods("i", "1", ref("unit:pcs")))
    assert outcomes(report) == {"unit:pcs": "SkippedDeleted", "i": "Failed"}
    assert "deleted" in messages(report)["i"]


def test_dependants_of_a_failed_object_fail_naming_it(run, pieces):
    package = (
        units("pcs")
        .with_step("Items")
        .folder("f", "tools")
        .goods("i", "1", ref("unit:pcs"), parentId=ref("f"))
    )
    report = run(package, continue_on_error=True)
    assert outcomes(report) == {"unit:pcs": "Failed", "f": "Inserted", "i": "Failed"}
    expected = "steps[1].items[1].unitOfMeasureId: Referenced object 'unit:pcs' failed"
    assert messages(report)["i"] == expected
    assert not model_of("Items").objects.filter(code="1").exists()


def test_dependants_of_a_failed_object_with_an_earlier_row_succeed(run, admin):
    run(units("pcs"))
    row = row_of("UnitsOfMeasure", "pcs")
    make_row("UnitsOfMeasure", actor=admin, code="kg", name="Kilograms")
    changed = units("pcs")
    changed.steps[0]["items"][0]["code"] = "kg"
    changed.with_step("Items").goods("i", "1", ref("unit:pcs"))
    report = run(changed, continue_on_error=True)
    assert outcomes(report) == {"unit:pcs": "Failed", "i": "Inserted"}
    assert row_of("Items", "1").unit_of_measure_id == row.pk


@pytest.mark.parametrize("dry_run", [False, True])
def test_an_unchanged_object_warns_of_a_missing_code(
    run, admin, pieces, everything, dry_run
):
    run(one_item(code("pcs")))
    edit_row(pieces, actor=admin, code="pieces")
    report = run(one_item(code("pcs")), dry_run=dry_run)
    assert outcomes(report) == {"item:1": "Unchanged"}
    (warning,) = report.diagnostics
    assert warning.severity == "Warning"
    assert warning.path == "steps[0].items[0].unitOfMeasureId"
    assert warning.message.endswith(
        'has the code "pcs"; the row of this object is not changed'
    )
    assert not report.has_errors
    assert row_of("Items", "1").unit_of_measure_id == pieces.pk


def test_items_may_come_before_kind_and_policies(run, admin):
    make_row("UnitsOfMeasure", actor=admin, code="pcs", name="By hand")
    package = units("pcs", match=["code"], onChange="skip")
    package.unit("unit:kg", "kg")
    turned = dict(reversed(package.as_dict().items()))
    turned["steps"] = [dict(reversed(step.items())) for step in turned["steps"]]
    assert next(iter(turned["steps"][0])) == "items"
    report = run(json.dumps(turned).encode())
    assert outcomes(report) == {"unit:pcs": "Adopted", "unit:kg": "Inserted"}
    assert row_of("UnitsOfMeasure", "pcs").name == "By hand"


def test_errors_in_items_before_the_kind_have_the_same_paths(run):
    package = units("pcs").raw_item({"$id": "bad", "code": "x"}).as_dict()
    package["steps"] = [dict(reversed(step.items())) for step in package["steps"]]
    report = run(json.dumps(package).encode())
    assert [d.path for d in report.diagnostics if d.severity == "Error"] == [
        "steps[0].items[1].name"
    ]


def test_a_byte_order_mark_changes_nothing(run):
    run(units("pcs", "kg"))
    report = run(b"\xef\xbb\xbf" + units("pcs", "kg").as_bytes())
    assert set(outcomes(report).values()) == {"Unchanged"}


class Pipe(io.BufferedReader):
    """A stream that can be read once, such as from a network."""

    def seekable(self):
        return False

    def seek(self, *where):
        raise io.UnsupportedOperation("seek")


def test_a_stream_that_can_be_read_once_suffices(run, admin):
    def pipe():
        return Pipe(io.BytesIO(units("pcs", "kg").as_bytes()))

    first = services.import_package(pipe(), user=admin)
    second = services.import_package(pipe(), user=admin)
    assert set(outcomes(first).values()) == {"Inserted"}
    assert set(outcomes(second).values()) == {"Unchanged"}


def test_an_empty_package_is_valid(run):
    report = run(a_package())
    assert (report.status, report.has_errors, len(report.items)) == (
        "Completed",
        False,
        0,
    )


def test_the_schema_key_of_editors_is_ignored(run):
    package = units("pcs")
    package.header["$schema"] = "package.schema.json"
    assert outcomes(run(package)) == {"unit:pcs": "Inserted"}


def test_texts_in_any_script_are_imported_unchanged(run):
    name = "Штука · 個 · 😀 · e\u0301"
    package = a_package().with_step("UnitsOfMeasure").unit("единица:1", "шт", name=name)
    assert outcomes(run(package)) == {"единица:1": "Inserted"}
    assert row_of("UnitsOfMeasure", "шт").name == name
    assert outcomes(run(package)) == {"единица:1": "Unchanged"}
