"""The problems in a report: each cause once, with its first place, dependants, owner
and remedy (IMP-128, IMP-129)."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from importer.models import ImportRun
from importer.services import get_report, problems_of
from tests.builders import (
    a_package,
    code,
    delete_row,
    make_row,
    messages,
    outcomes,
    ref,
    row_of,
    units,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]


def before():
    """Return a package that has created a currency and a warehouse before."""
    package = a_package("demo").with_step("Currencies")
    package.item("currency:USD", code="USD", name="US dollar")
    return package.with_step("Warehouses").item("wh:1", code="MAIN", name="Main")


def northwind(orders=20, **first_line):
    """Return a small trading company whose currency and warehouse already exist."""
    package = a_package("northwind").with_step("Currencies", match=["code"])
    package.item("cur:USD", code="USD", name="US Dollar")
    package.with_step("Warehouses", match=["code"])
    package.item("wh:MAIN", code="MAIN", name="Main warehouse")
    package.with_step("UnitsOfMeasure").item("unit:BO", code="BO", name="bottle")
    package.with_step("Items").goods("item:1", "NW-1", ref("unit:BO"))
    package.with_step("Counterparties").item("c:1", code="C1", name="Customer")
    package.documents("SalesOrders")
    for number in range(orders):
        line = {"itemId": ref("item:1"), "quantity": 12, "price": 14}
        package.item(
            f"order:{number}",
            date="2026-07-04T00:00:00Z",
            counterpartyId=ref("c:1"),
            warehouseId=ref("wh:MAIN"),
            currencyId=ref("cur:USD"),
            lines=[line if number else {**line, **first_line}],
        )
    package.with_step("BankAccounts")
    package.item("account", code="B", name="B", currencyId=ref("cur:USD"))
    return package


@pytest.mark.parametrize("options", [{"dry_run": True}, {"continue_on_error": True}])
def test_thousands_of_failures_for_two_causes_are_two_problems(run, options):
    assert not run(before()).has_errors
    report = run(northwind(), **options)
    usd, main = report.problems
    assert (usd.code, usd.about, usd.value) == ("taken", "code", "USD")
    assert (usd.count, usd.dependants) == (1, 21)
    assert (main.value, main.count, main.dependants) == ("MAIN", 1, 20)
    assert report.counts["Failed"] == 23
    assert usd.first.path == "steps[0].items[0].code"
    assert (usd.first.id, usd.first.name) == ("cur:USD", "USD US Dollar")
    row = row_of("Currencies", "USD")
    assert (usd.owner.model, usd.owner.row_id) == ("Currencies", row.pk)
    assert (usd.owner.name, usd.owner.package) == ("USD US dollar", "demo")
    assert usd.owner.key == "currency:USD"
    assert usd.message == (
        '"USD" is taken by USD US dollar, which belongs to the package demo '
        "(currency:USD)."
    )
    assert 'refer to the row with {"$code": "USD"}' in usd.remedy
    errors = [d for d in report.diagnostics if d.severity == "Error"]
    assert [d.path for d in errors] == [usd.first.path, main.first.path]


def test_a_failed_dependant_names_the_object_behind_it(run):
    """OPEN-33."""
    run(before())
    report = run(northwind(), dry_run=True)
    assert "Referenced object 'wh:MAIN' failed" in messages(report)["order:3"]
    chain = a_package("chain").with_step("Currencies")
    chain.item("usd", code="USD", name="US Dollar")
    chain.with_step("Counterparties").item("c", code="C", name="C")
    chain.with_step("BankAccounts")
    chain.item("bank", code="B", name="B", currencyId=ref("usd"))
    chain.documents("BankReceipts")
    chain.item(
        "paid",
        date="2026-07-04",
        bankAccountId=ref("bank"),
        counterpartyId=ref("c"),
        isIncome=True,
        amount="1",
    )
    report = run(chain, dry_run=True)
    assert messages(report)["paid"] == (
        "steps[3].items[0].bankAccountId: Referenced object 'bank' failed, because "
        "'usd' failed"
    )
    assert [(p.count, p.dependants) for p in report.problems] == [(1, 2)]


def test_one_wrong_quantity_is_the_first_problem(run):
    report = run(northwind(quantity=0), dry_run=True)
    (one,) = report.problems
    assert one.first.path == "steps[5].items[0].lines[0].quantity"
    assert (one.code, one.about) == ("out-of-range", "lines.quantity")
    assert (one.value, one.count, one.dependants) == ("0", 1, 0)
    assert one.first.id == "order:0"


def test_the_line_is_the_line_of_the_file(run):
    content = json.dumps(json.loads(northwind(quantity=0).as_bytes()), indent=1)
    lines = content.encode().split(b"\n")
    (one,) = run(content.encode(), dry_run=True).problems
    assert b'"order:0"' in b"".join(lines[one.first.line - 1 : one.first.line + 1])


def test_equal_refusals_of_the_services_are_one_problem_with_a_count(run):
    package = a_package("p").with_step("UnitsOfMeasure")
    for number in range(30):
        package.item(f"u{number}", code=str(number), name="")
    report = run(package, continue_on_error=True)
    (one,) = report.problems
    assert (one.code, one.about, one.count) == ("required", "name", 30)
    (error,) = report.diagnostics
    assert error.path == "steps[0].items[0].name"
    assert error.message.endswith("(in 30 objects)")


def test_a_missing_right_is_a_problem_like_any_other(run, clerk):
    report = run(units("a", "b"), user=clerk(), continue_on_error=True)
    (one,) = report.problems
    assert (one.code, one.count) == ("not-allowed", 2)
    assert "may not add" in one.message
    assert one.remedy


def test_the_problem_of_a_user_created_row_explains_how_to_adopt_it(run, admin):
    make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Pieces")
    (one,) = run(units("pcs"), dry_run=True).problems
    assert one.message == '"pcs" is taken by pcs Pieces, which was entered by hand.'
    assert (one.owner.package, one.owner.key) == (None, None)
    assert 'add "match": ["code"] to the step' in one.remedy
    (one,) = run(units("pcs", match=["name"]), dry_run=True).problems
    assert 'matches on name. To adopt it, use "match": ["code"].' in one.remedy
    assert outcomes(run(units("pcs", match=["code"]))) == {"unit:pcs": "Adopted"}


def test_the_problem_of_an_earlier_versions_row_names_its_owner(run):
    run(a_package("p").with_step("UnitsOfMeasure").unit("old", "pcs"))
    (one,) = run(a_package("p").with_step("UnitsOfMeasure").unit("new", "pcs")).problems
    assert one.message == '"pcs" is already used by the object old of this package.'
    assert "give the object its old $id again" in one.remedy


@pytest.mark.parametrize("window", [1, 1000])
def test_dry_run_and_run_report_the_same_for_a_duplicate_value(run, admin, window):
    make_row("UnitsOfMeasure", actor=admin, code="kg", name="Kilogram")
    package = a_package("p").with_step("UnitsOfMeasure", match=["code"])
    package.unit("a", "kg").unit("b", "kg").unit("c", "x").unit("d", "x")
    planned = run(package, dry_run=True, window=window)
    done = run(package, continue_on_error=True, window=window)
    assert messages(planned) == messages(done)
    assert [p.message for p in planned.problems] == [p.message for p in done.problems]
    assert (
        done.problems[0].message
        == '"kg" is already used by the object a of this package.'
    )
    assert (
        done.problems[1].message
        == '"x" is already used by the object c of this package.'
    )


def test_names_of_rows_the_user_may_not_view_are_not_revealed(run, admin, clerk):
    make_row("UnitsOfMeasure", actor=admin, code="pcs", name="Secret")
    report = run(units("pcs"), user=clerk("add_unitofmeasure"))
    (one,) = report.problems
    assert (one.code, one.owner) == ("taken", None)
    assert one.message == "Another row already has this value."


def test_a_reference_to_a_deleted_row_names_it(run, admin):
    run(units("pcs"))
    delete_row(row_of("UnitsOfMeasure", "pcs"), actor=admin)
    package = units("pcs").with_step("Items").goods("i", "I", ref("unit:pcs"))
    (one,) = run(package, dry_run=True).problems
    assert (one.code, one.value) == ("row-deleted", "unit:pcs")
    assert one.message == "pcs pcs ($id unit:pcs) is deleted; restore it first."


def test_an_unknown_code_is_one_problem_for_all_objects(run):
    package = a_package("p").with_step("Items")
    for number in range(5):
        package.goods(f"i{number}", f"I{number}", code("pcs"))
    (one,) = run(package, dry_run=True).problems
    assert (one.code, one.about, one.value) == ("not-found", "unitOfMeasureId", "pcs")
    assert one.count == 5


def test_the_problems_are_stored_with_the_run(run):
    run(before())
    report = run(northwind(), continue_on_error=True)
    stored = ImportRun.objects.get(pk=report.run_id)
    assert problems_of(stored) == report.problems
    assert get_report(report.run_id).problems == report.problems


def test_a_run_of_an_earlier_version_lists_its_error_diagnostics():
    said = {"severity": "Error", "path": "$", "message": "$: no JSON"}
    (one,) = problems_of(ImportRun(diagnostics=[said]))
    assert (one.first.path, one.message, one.count) == ("$", "no JSON", 1)


def test_blocking_rows_take_one_query_per_window(run, admin):
    codes = [str(number) for number in range(40)]
    for one in codes:
        make_row("UnitsOfMeasure", actor=admin, code=one, name=one)

    def queries(package):
        with CaptureQueriesContext(
            connection,
        ) as captured:
            run(package, dry_run=True)
        return len(captured)

    assert queries(units(*codes)) == queries(units(*codes[:2]))
    assert queries(units(*codes)) <= queries(units(*(f"n{one}" for one in codes))) + 1


def test_many_lines_that_refer_to_a_failed_object_are_not_a_cause(run):
    run(before())
    package = northwind(orders=1)
    order = package.steps[5]["items"][0]
    order["lines"] = order["lines"] * 60
    package.steps[2]["items"][0]["name"] = ""
    report = run(package, dry_run=True)
    assert [(p.code, p.count) for p in report.problems] == [
        ("taken", 1),
        ("required", 1),
        ("taken", 1),
    ]
    assert "further errors" in messages(report)["order:0"]
