"""A code that no row has is answered with the one that was meant, whatever the size of
the windows, and in a dry run as in the real one."""

from __future__ import annotations

import itertools

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from importer.pipeline import code_suggestions
from tests.builders import (
    a_package,
    code,
    delete_row,
    make_row,
    messages,
    row_of,
    units,
)
from tests.importer.laws.world import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def stock(admin):
    return make_row("UnitsOfMeasure", actor=admin, code="STK", name="Pieces")


def items(*codes):
    package = a_package().with_step("Items")
    for number, each in enumerate(codes):
        package.goods(f"i{number}", f"{number}", code(each))
    return package


def questions(report):
    """Return what stands behind the complaint about each object, by its id."""
    found = {}
    for identifier, message in messages(report).items():
        _, _, question = message.partition("; ")
        found[identifier] = question
    return found


@pytest.mark.parametrize("given", ["stk", " STK", "STK ", "S-T-K", "STCK", "TK"])
def test_the_code_that_was_meant_is_named(run, stock, given):
    """IMP-091."""
    report = run(items(given))
    assert messages(report)["i0"].endswith(
        f'no row of UnitsOfMeasure has the code "{given}"; did you mean "STK"?'
    )
    (problem,) = report.problems
    assert problem.value == given
    assert problem.message.endswith('did you mean "STK"?')


def test_a_code_like_no_other_and_that_of_a_deleted_row_get_no_question(
    run, admin, stock
):
    make_row("UnitsOfMeasure", actor=admin, code="LTR", name="Litres")
    delete_row(row_of("UnitsOfMeasure", "LTR"), actor=admin)
    report = run(items("crate", "ltr", "STK2"), continue_on_error=True)
    assert questions(report) == {"i0": "", "i1": "", "i2": ""}


@pytest.mark.parametrize("few", [0, 2, 2000])
def test_a_code_that_the_run_made_or_moved_itself_is_named(
    run, admin, monkeypatch, few
):
    """IMP-137: dry or real, and whatever the windows, a run says the same."""
    monkeypatch.setattr(code_suggestions, "_FEW", few)
    run(units("OLD"))
    make_row("UnitsOfMeasure", actor=admin, code="KG", name="Kilogram")
    package = items("box", "old", "new", "kg").with_step("UnitsOfMeasure")
    package.unit("unit:BOX", "BOX").unit("unit:OLD", "NEW").with_step("Items")
    for number, each in enumerate(("Box", "Old", "New", "Kg"), 10):
        package.goods(f"i{number}", f"{number}", code(each))
    expected = {"i0": "", "i1": "OLD", "i2": "", "i3": "KG"}
    expected |= {"i10": "BOX", "i11": "", "i12": "NEW", "i13": "KG"}
    for window, dry_run in itertools.product((1, 3, 1000), (True, False)):
        with rolled_back():
            report = run(
                package, window=window, dry_run=dry_run, continue_on_error=True
            )
        assert questions(report) == {
            each: f'did you mean "{name}"?' if name else ""
            for each, name in expected.items()
        }


def test_nobody_is_told_codes_of_rows_they_may_not_see(run, clerk, stock):
    """IMP-029."""
    blind = clerk("add_item", name="blind")
    seeing = clerk("add_item", "view_unitofmeasure", name="seeing")
    assert questions(run(items("stk"), user=blind)) == {"i0": ""}
    assert questions(run(items("stk"), user=seeing)) == {"i0": 'did you mean "STK"?'}


def test_of_very_many_rows_a_code_in_another_case_is_found(run, stock, monkeypatch):
    monkeypatch.setattr(code_suggestions, "_FEW", 0)
    report = run(items("stk", " Stk ", "stck"), continue_on_error=True)
    meant_it = 'did you mean "STK"?'
    assert questions(report) == {"i0": meant_it, "i1": meant_it, "i2": ""}


def test_only_the_first_missing_codes_are_asked_after_each_once(run, stock):
    def asked(package):
        with CaptureQueriesContext(connection) as captured:
            report = run(package, continue_on_error=True, dry_run=True)
        return questions(report), len(captured)

    wrong = ["stk", *(f"crate{chr(97 + n)}" for n in range(19))]
    found, few = asked(items(*wrong))
    assert found["i0"] == 'did you mean "STK"?'
    found, many = asked(items(*wrong, *wrong, "stK"))
    assert found["i20"] == 'did you mean "STK"?'
    assert found["i40"] == ""
    assert many == few
    assert asked(items("crate"))[1] == asked(items("crate", "crate"))[1]
