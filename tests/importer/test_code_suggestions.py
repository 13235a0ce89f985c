"""Suggestions for unknown codes: the same with any window size, dry or real."""

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

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]


@pytest.fixture
def stock(admin):
    return make_row("UnitsOfMeasure", actor=admin, code="STK", name="Pieces")


def items(*codes):
    package = a_package().with_step("Items")
    for number, each in enumerate(codes):
        package.goods(f"i{number}", f"{number}", code(each))
    return package


def questions(report):
    """Return the suggestion in each object's message, by its id."""
    found = {}
    for identifier, message in messages(report).items():
        _, _, question = message.partition("; ")
        found[identifier] = question
    return found


@pytest.mark.parametrize("given", ["stk", " STK", "STK ", "S-T-K", "STCK", "TK"])
def test_a_similar_code_is_suggested(run, stock, given):
    """IMP-091."""
    report = run(items(given))
    assert messages(report)["i0"].endswith(
        f'no row of UnitsOfMeasure has the code "{given}"; did you mean "STK"?'
    )
    (problem,) = report.problems
    assert problem.value == given
    assert problem.message.endswith('did you mean "STK"?')


def test_dissimilar_codes_and_those_of_deleted_rows_are_not_suggested(
    run, admin, stock
):
    make_row("UnitsOfMeasure", actor=admin, code="LTR", name="Litres")
    delete_row(row_of("UnitsOfMeasure", "LTR"), actor=admin)
    report = run(items("crate", "ltr", "STK2"), continue_on_error=True)
    assert questions(report) == {"i0": "", "i1": "", "i2": ""}


@pytest.mark.parametrize("few", [0, 2, 2000])
def test_codes_created_or_moved_by_the_run_are_suggested(run, admin, monkeypatch, few):
    """IMP-137: the same in dry and real runs with any window."""
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


def test_codes_of_rows_the_user_may_not_view_are_not_suggested(run, clerk, stock):
    """IMP-029."""
    blind = clerk("add_item", name="blind")
    seeing = clerk("add_item", "view_unitofmeasure", name="seeing")
    assert questions(run(items("stk"), user=blind)) == {"i0": ""}
    assert questions(run(items("stk"), user=seeing)) == {"i0": 'did you mean "STK"?'}


def test_among_very_many_rows_a_code_in_another_case_is_suggested(
    run, stock, monkeypatch
):
    monkeypatch.setattr(code_suggestions, "_FEW", 0)
    report = run(items("stk", " Stk ", "stck"), continue_on_error=True)
    meant_it = 'did you mean "STK"?'
    assert questions(report) == {"i0": meant_it, "i1": meant_it, "i2": ""}


def test_suggestions_are_queried_once_per_code_for_the_first_codes(run, stock):
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
