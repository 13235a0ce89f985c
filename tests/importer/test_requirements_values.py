"""Odd and huge values and notations: each is imported exactly or refused with a
sentence."""

from __future__ import annotations

import time

import pytest
from rest_framework.exceptions import ValidationError

from importer.models import ImportRun
from importer.package.shapes import MOST_PROBLEMS
from importer.services import get_report
from importer.wire_fields import DateTimeField
from platform_site.changes.models import ChangeEvent
from tests.builders import (
    a_package,
    code,
    delete_row,
    make_row,
    messages,
    model_of,
    outcomes,
    ref,
    row_of,
    units,
)
from tests.drill import seconds

pytestmark = pytest.mark.django_db

HEADER = (
    b'"format":"platform-import/1","package":"corpus.a","version":1,'
    b'"origin":"import","configuration":"Trade"'
)
DEEP = 980


@pytest.fixture
def pieces(admin):
    return make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Pieces")


def goods(**properties):
    """Return a package of one item of goods."""
    package = a_package().with_step("Items")
    return package.goods("g", "G", code("pcs"), **properties)


def priced(text):
    """Return the bytes of a package with a price exactly as given."""
    return goods(price="@@").as_bytes().replace(b'"@@"', text.encode())


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("0.10", "0.1000"),
        ("1e2", "100.0000"),
        ("1E+2", "100.0000"),
        ("1E-4", "0.0001"),
        ('"00.5"', "0.5000"),
        ("-0", "0.0000"),
        ("-0.0", "0.0000"),
        ('"-0"', "0.0000"),
    ],
)
def test_any_json_notation_of_a_number_is_accepted(run, pieces, written, stored):
    """OPEN-18."""
    assert not run(priced(written)).has_errors
    assert str(row_of("Items", "G").price) == stored
    event = ChangeEvent.objects.latest("id")
    assert event.changes["price"] == [None, stored]
    assert run(priced(written)).counts["Unchanged"] == 1


@pytest.mark.parametrize(
    "written", ['"1,5"', '"1e2"', '" 1"', '"1\\n"', "true", "1e14", "1e-5", "-1"]
)
def test_an_invalid_price_is_refused_at_the_price(run, pieces, written):
    report = run(priced(written))
    assert messages(report)["g"].startswith("steps[0].items[0].price: ")
    assert not model_of("Items").objects.exists()


def test_a_number_that_is_too_large_is_reported_as_such(run, pieces):
    assert "14 digits" in messages(run(priced("1e14")))["g"]


@pytest.mark.parametrize("written", ["00.5", "+1", ".5", "0x10", "NaN", "1."])
def test_an_invalid_json_number_ends_the_run(run, pieces, written):
    report = run(priced(written))
    assert (report.status, len(report.items)) == ("Failed", 0)
    assert "line 1, column " in report.diagnostics[0].message


@pytest.mark.parametrize("written", ["1.5", "1.50", '"1.5000"'])
def test_matching_ignores_the_notation_of_numbers(run, admin, pieces, written):
    make_row(
        "Items",
        actor=admin,
        isFolder=False,
        code="by hand",
        name="By hand",
        category="goods",
        unitOfMeasureId=pieces.pk,
        price="1.5",
    )
    package = goods(price="@@")
    package.steps[0]["match"] = ["unitOfMeasureId", "price"]
    written = package.as_bytes().replace(b'"@@"', written.encode())
    assert outcomes(run(written)) == {"g": "Adopted"}
    assert row_of("Items", "G").import_key == "g"


def test_a_repeated_property_in_match_counts_once(run, admin, pieces):
    report = run(units("pcs", match=["code"] * 5000))
    assert outcomes(report) == {"unit:pcs": "Adopted"}


def test_an_empty_match_adopts_nothing(run, pieces):
    assert outcomes(run(units("kg", match=[]))) == {"unit:kg": "Inserted"}
    assert outcomes(run(units("pcs", match=[], package="b"))) == {"unit:pcs": "Failed"}


FULL = {
    "Currencies": {"symbol": "€", "minorUnits": 2},
    "Warehouses": {"address": "Street 1"},
    "Counterparties": {
        "isCustomer": True,
        "isSupplier": True,
        "taxNumber": "1",
        "email": "a@example.org",
        "phone": "1",
        "address": "Street 1",
    },
    "Items": {
        "isFolder": False,
        "category": "goods",
        "unitOfMeasureId": {"$code": "pcs"},
        "description": "d",
        "barcode": "1",
        "price": 1,
        "parentId": {"$code": "folder"},
    },
    "Accounts": {"isFolder": False, "kind": "asset", "role": "bank"},
}
NEEDED = {"isFolder", "category", "unitOfMeasureId"}


@pytest.mark.parametrize("catalog", FULL)
def test_absent_properties_of_every_catalog_are_unchanged_and_null_clears(
    run, admin, pieces, catalog
):
    make_row("Items", actor=admin, isFolder=True, code="folder", name="F")
    full, optional = FULL[catalog], FULL[catalog].keys() - NEEDED
    needed = {name: full[name] for name in full.keys() & NEEDED}

    def applied(name, values):
        package = a_package().with_step(catalog)
        report = run(package.item("x", code="X", name=name, **values))
        assert not report.has_errors, list(report.items)
        return next(iter(report.items)).changes

    applied("first", full)
    assert set(applied("second", needed)) == {"name"}
    cleared = applied("second", {**needed, **dict.fromkeys(optional)})
    assert set(cleared) == optional
    assert {after for _, after in cleared.values()} <= {None, "", False}


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u00a0"])
def test_blanks_are_not_a_name_but_clear_optional_texts(run, text):
    package = a_package().with_step("Warehouses")
    package.item("a", code="a", name=text).item("b", code="b", name="B", address=text)
    report = run(package, continue_on_error=True)
    assert outcomes(report) == {"a": "Failed", "b": "Inserted"}
    assert messages(report)["a"].startswith("steps[0].items[0].name: ")
    assert row_of("Warehouses", "b").address == ""


def test_a_very_long_text_is_stored_whole_and_shown_cut(run, pieces):
    long = "ä" * 1_000_000
    run(goods(description=long))
    assert row_of("Items", "G").description == long
    assert run(goods(description=long)).counts["Unchanged"] == 1
    (result,) = run(goods(description=f"{long}.")).items
    assert all(len(text) <= 201 for text in result.changes["description"])


def test_an_object_of_many_megabytes_fails_with_a_short_sentence(run):
    huge = "x" * 5_000_000
    package = a_package().with_step("UnitsOfMeasure")
    for name in ("code", "name", huge):
        package.item(f"by {name[:4]}", **{"code": "c", "name": "n", name: huge})
    began = time.monotonic()
    report = run(package, continue_on_error=True)
    assert list(messages(report)) == ["by code", "by name", "by xxxx"]
    assert all(len(message) < 500 for message in messages(report).values())
    assert time.monotonic() - began < seconds(60)


def test_of_ten_thousand_unknown_keys_the_first_are_listed_and_all_counted(run):
    package = a_package().with_step("UnitsOfMeasure")
    package.unit("u", "u", **{f"p{number}": number for number in range(10_000)})
    said = messages(run(package))["u"]
    assert said.count("unknown property") == MOST_PROBLEMS
    assert f"{10_000 - MOST_PROBLEMS:,} further errors of this object" in said


@pytest.mark.parametrize("place", ["header", "step", "item"])
@pytest.mark.parametrize("key", ["\\u0000", "\\u001b", "\\ud800"])
def test_an_unstorable_key_is_reported_as_written(run, place, key):
    text = '"dictionary":"UnitsOfMeasure","items":[{"$id":"u","code":"c","name":"n"}]'
    wrong = f'"{key}":1,'
    item = f"[{{{text.replace('{', '{' + wrong)}}}]"
    step = f"[{{{wrong}{text}}}]"
    header = wrong if place == "header" else ""
    steps = {"item": item, "step": step}.get(place, f"[{{{text}}}]")
    report = run(b"{%b%b,%b}" % (header.encode(), HEADER, f'"steps":{steps}'.encode()))
    assert report.has_errors
    said = next(d.message for d in report.diagnostics if d.severity == "Error")
    assert key in said or "surrogate" in said
    assert get_report(report.run_id).diagnostics == report.diagnostics
    assert ImportRun.objects.get().status == "Failed"


@pytest.mark.parametrize("key", ["match", "dictionary", "onChange"])
def test_a_step_nested_to_the_limit_is_refused_with_a_sentence(run, key):
    deep = b"[" * DEEP + b"]" * DEEP
    steps = b'[{"%b":%b,"items":[]}]' % (key.encode(), deep)
    report = run(b"{%b,%b}" % (HEADER, b'"steps":' + steps))
    assert report.has_errors
    assert not [d for d in report.diagnostics if "unexpected" in d.message]


@pytest.mark.parametrize("on_change", ["update", "skip"])
def test_rows_of_a_deleted_folder_are_restored_only_after_it(
    run, admin, pieces, on_change
):
    package = a_package().with_step("Items", onDeleted="restore", onChange=on_change)
    package.folder("f", "F").goods("g", "G", code("pcs"), parentId=ref("f"))
    run(package)
    for each in ("G", "F"):
        delete_row(row_of("Items", each), actor=admin)
    kept = a_package().with_step("Items").folder("f", "F")
    kept.with_step("Items", onDeleted="restore", onChange=on_change)
    kept.goods("g", "G", code("pcs"), parentId=ref("f"))
    report = run(kept)
    assert outcomes(report) == {"f": "SkippedDeleted", "g": "Failed"}
    assert messages(report)["g"].startswith("steps[1].items[0].parentId: ")
    assert set(outcomes(run(package)).values()) == {"Restored"}
    assert row_of("Items", "G").parent == row_of("Items", "F")
    assert set(outcomes(run(package)).values()) == {"Unchanged"}


def test_a_role_can_pass_from_one_account_to_another_in_order(run):
    def accounts(first, second):
        package = a_package().with_step("Accounts")
        for name, role in (("a", first), ("b", second)):
            package.item(name, isFolder=False, code=name, name=name, role=role)
        return package

    assert not run(accounts("bank", None)).has_errors
    taken = run(accounts("bank", "bank"))
    assert messages(taken)["b"].startswith("steps[0].items[1].role: ")
    assert not run(accounts(None, "bank")).has_errors
    assert row_of("Accounts", "b").role == "bank"


@pytest.mark.parametrize(
    "changed", [lambda text: b"\xef\xbb\xbf" + text, lambda text: text + b"\r\n \t"]
)
def test_byte_order_mark_and_windows_line_ends_change_nothing(run, changed):
    text = units("pcs").as_bytes().replace(b",", b",\r\n")
    assert outcomes(run(changed(text))) == {"unit:pcs": "Inserted"}
    assert outcomes(run(units("pcs"))) == {"unit:pcs": "Unchanged"}


def test_a_nul_in_the_file_is_reported_at_its_place(run):
    report = run(units("pcs").as_bytes().replace(b'"pcs"', b'"p\0"', 1))
    assert "line 1, column" in report.diagnostics[0].message
    assert not report.items


@pytest.mark.parametrize(
    "text",
    [
        "2026-07-01T12:00:00",
        "2026-7-1T12:00:00",
        "20260701T120000",
        "2026-W27-3",
        "2026-W27-3T12:00:00",
        "2026-07-01+02:00",
    ],
)
def test_a_time_without_offset_is_refused(text):
    with pytest.raises(ValidationError):
        DateTimeField().to_internal_value(text)
