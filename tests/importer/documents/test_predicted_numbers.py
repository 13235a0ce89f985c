"""Objects that refer to documents by numbers that the run itself will draw: a dry run
predicts them (OPEN-29)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from documents.models import SalesOrder
from documents.numbering import NumberSequence
from tests.builders import a_package, code, delete_row, outcomes, ref
from tests.importer.documents.packages import line, trade
from tests.importer.laws.world import rolled_back

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]


def orders(count=1, **more):
    package = a_package("numbers").documents("SalesOrders")
    for number in range(count):
        package.item(f"o{number}", **trade([line()], day=2), **more)
    return package


def issued(package, number, **more):
    package.created("GoodsIssues", "SalesOrders")
    return package.item("i", **{"$source": code(number)}, **more)


def both(run, package):
    """Run dry and then really; check that both report the same for each object."""
    planned = run(package, dry_run=True)
    assert not NumberSequence.objects.filter(last__gt=0).exists()
    with rolled_back():
        done = run(package, continue_on_error=True)
    told = [(one.id, one.name, one.outcome, one.message) for one in done.items]
    assert told == [
        (one.id, one.name, one.outcome, one.message) for one in planned.items
    ]
    return planned, done


def warnings(report):
    return [d for d in report.diagnostics if d.severity == "Warning"]


def test_a_predicted_number_gives_only_a_warning(run, filled):
    package = issued(orders(2), "SO-2026-000002")
    package.created("BankReceipts", "GoodsIssues")
    package.item("b", **{"$source": ref("i")}, bankAccountId=code("B"))
    planned, done = both(run, package)
    assert set(outcomes(planned).values()) == {"Inserted"}
    assert [one.name for one in planned.items][:2] == [
        "SO-2026-000001",
        "SO-2026-000002",
    ]
    assert not planned.has_errors
    (warning,) = warnings(planned)
    assert warning.path == "steps[1].items[0].$source"
    assert 'will give "SO-2026-000002" to a row of SalesOrders' in warning.message
    assert "$ref" in warning.message
    assert not warnings(done)


@pytest.mark.parametrize("number", ["SO-2026-000003", "SO-2025-000001", "SO-2026-1"])
def test_a_number_that_will_not_be_drawn_fails_in_both(run, filled, number):
    planned, _ = both(run, issued(orders(2), number))
    assert outcomes(planned)["i"] == "Failed"


def test_a_number_that_a_later_object_gets_fails_in_both(run, filled):
    package = issued(a_package("numbers"), "SO-2026-000001")
    package.documents("SalesOrders").item("o", **trade([line()]))
    planned, _ = both(run, package)
    assert outcomes(planned) == {"i": "Failed", "o": "Inserted"}


def test_taken_numbers_are_skipped(run, filled, admin):
    existing = orders(1, code="SO-2026-000001")
    existing.header["package"] = "earlier"
    run(existing)
    delete_row(SalesOrder.objects.get(), actor=admin)
    package = orders(1, code="SO-2026-000002")
    package.item("o1", **trade([line()], day=2))
    planned, _ = both(run, issued(package, "SO-2026-000003"))
    assert set(outcomes(planned).values()) == {"Inserted"}


def test_a_code_given_after_it_was_drawn_is_taken_in_both(run, filled):
    package = orders(1).item("late", **trade([line()], code="SO-2026-000001"))
    planned, _ = both(run, package)
    assert outcomes(planned) == {"o0": "Inserted", "late": "Failed"}


def test_each_year_has_its_own_numbers(run, filled):
    package = a_package("numbers").documents("SalesOrders")
    package.item("old", **{**trade([line()]), "date": "2025-12-31T12:00:00Z"})
    package.item("new", **trade([line()]))
    planned, _ = both(run, issued(package, "SO-2025-000001"))
    assert set(outcomes(planned).values()) == {"Inserted"}


def test_predicting_codes_takes_the_same_queries_for_more_documents(run, filled):
    found = []
    for count in (2, 60):
        with CaptureQueriesContext(connection) as asked:
            run(orders(count), dry_run=True)
        found.append(len(asked))
    assert found[0] == found[1]
