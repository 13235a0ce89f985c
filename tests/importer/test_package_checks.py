"""Checks of whole packages by other apps, with a survey of each step before the first
write."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from importer import registry
from importer.pipeline.survey import PackageCheck
from tests.builders import (
    a_package,
    code,
    delete_row,
    erase_row,
    make_row,
    row_of,
    units,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]


@pytest.fixture
def check(monkeypatch):
    """Return a function that registers a check; the surveys it gets are in
    ``shown``."""
    monkeypatch.setattr(registry, "_checks", [])

    def register(*targets, says=()):
        def judge(surveys):
            register.shown.append([(s.step.target, s.new, s.lines) for s in surveys])
            return says

        registry.register_check(PackageCheck(frozenset(targets), judge))

    register.shown = []
    return register


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("continue_on_error", [False, True])
def test_objections_of_a_check_end_the_run_before_any_write(
    run, check, business, dry_run, continue_on_error
):
    check("UnitsOfMeasure", says=["There are enough units.", "Really."])
    before = business()
    report = run(
        units("pcs", "kg"), dry_run=dry_run, continue_on_error=continue_on_error
    )
    errors = [(d.path, d.message) for d in report.diagnostics if d.severity == "Error"]
    assert errors == [("$", "$: There are enough units."), ("$", "$: Really.")]
    assert (report.status, report.has_errors) == ("Failed", True)
    assert not report.items
    assert business() == before


def test_a_check_without_objections_changes_nothing(run, check):
    check("UnitsOfMeasure")
    assert run(units("pcs", "kg")).counts["Inserted"] == 2
    assert check.shown == [[("UnitsOfMeasure", 2, 0)]]


def test_a_check_gets_only_the_steps_of_its_targets(run, check):
    check("Warehouses")
    check("Items", "Warehouses")
    package = (
        units("pcs")
        .with_step("Warehouses")
        .item("w", code="W", name="W")
        .with_step("Warehouses")
    )
    run(package)
    steps = [("Warehouses", 1, 0), ("Warehouses", 0, 0)]
    assert check.shown == [steps, steps]
    check.shown.clear()
    run(units("kg"))
    assert check.shown == []


def test_only_objects_without_a_mark_are_new(run, check, admin):
    run(units("a", "b", "c", "d"))
    delete_row(row_of("UnitsOfMeasure", "b"), actor=admin)
    erase_row(row_of("UnitsOfMeasure", "c"))
    check("UnitsOfMeasure")
    run(units("a", "b", "c", "e"))
    assert check.shown == [[("UnitsOfMeasure", 2, 0)]]


def test_rows_that_will_be_adopted_are_not_new(run, check, admin):
    for name in ("a", "b"):
        make_row("UnitsOfMeasure", actor=admin, code=name, name=name)
    check("UnitsOfMeasure")
    report = run(units("a", "b", "c", match=["code"]))
    assert check.shown == [[("UnitsOfMeasure", 1, 0)]]
    assert (report.counts["Adopted"], report.counts["Inserted"]) == (2, 1)


def test_invalid_objects_are_not_new(run, check):
    package = units("a", "b").item("bad", code=5, name="Bad")
    check("UnitsOfMeasure")
    run(package, continue_on_error=True)
    assert check.shown == [[("UnitsOfMeasure", 2, 0)]]


def test_surveys_are_the_same_whatever_the_window(run, check):
    run(units("a", "b", "c"))
    check("UnitsOfMeasure")
    for window in (1, 2, 1000):
        run(units("a", "d", "b", "e", "f"), dry_run=True, window=window)
    assert check.shown == [[("UnitsOfMeasure", 3, 0)]] * 3


def queries(call):
    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)


def test_a_survey_takes_a_constant_number_of_queries_per_window(run, check, admin):
    def package(count):
        items = a_package("many").with_step("Items", match=["code"])
        for number in range(count):
            items.goods(f"i{number}", f"I{number}", code("pcs"))
        return items

    run(units("pcs"))
    without = queries(lambda: run(package(50), dry_run=True))
    check("Items")
    few = queries(lambda: run(package(5), dry_run=True))
    many = queries(lambda: run(package(50), dry_run=True))
    assert many == few <= without + 4


def test_a_run_can_be_stopped_while_the_package_is_surveyed(run, check):
    check("UnitsOfMeasure", says=["never reached"])

    class Stop:
        asked = 0

        def is_set(self):
            self.asked += 1
            return self.asked > 3

    report = run(units("a", "b", "c", "d", "e"), cancellation=Stop(), window=1)
    assert report.status == "Interrupted"
    assert not report.items
