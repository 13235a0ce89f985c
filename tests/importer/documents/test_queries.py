"""The queries of a run of documents: few per window, a constant number per document."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.importer.documents.packages import line, receipts, trade

pytestmark = [
    pytest.mark.counts,
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]
ITEMS = ("RICE", "TEA", "FREIGHT")


def numbered(count, lines=3):
    """Return posted receipts with a number of lines each."""
    said = [line(ITEMS[n % len(ITEMS)]) for n in range(lines)]
    return receipts(*((f"r{n}", trade(said)) for n in range(count)))


def queries(run, package, **options):
    with CaptureQueriesContext(connection) as asked:
        assert not run(package, **options).has_errors
    return len(asked)


def test_queries_of_a_window_do_not_grow_with_its_documents(run, filled):
    queries(run, numbered(2), dry_run=True)
    assert queries(run, numbered(2), dry_run=True) == queries(
        run, numbered(40), dry_run=True
    )
    run(numbered(40))
    assert queries(run, numbered(2)) == queries(run, numbered(40))


def test_queries_do_not_grow_with_the_lines(run, filled):
    queries(run, numbered(1))
    few = receipts(("few", trade([line(), line("TEA")])))
    many = receipts(("many", trade([line(ITEMS[n % 3]) for n in range(60)])))
    assert queries(run, few) == queries(run, many)


def test_each_document_adds_the_same_few_queries(run, filled):
    queries(run, numbered(1))
    one, more = receipts(), receipts()
    one.item("a", **trade([line(), line("TEA")]))
    for n in range(11):
        more.item(f"b{n}", **trade([line(), line("TEA")]))
    each = (queries(run, more) - queries(run, one)) / 10
    assert each == int(each)
    assert each <= 20


def moving(count, quantity="2"):
    """Return receipts and issues of as many days, changed by another quantity."""
    package = receipts(onChange="update")
    for n in range(count):
        package.item(f"r{n}", **trade([line(quantity=quantity)], day=1 + n % 9))
    package.documents("GoodsIssues", submit=True, onChange="update")
    for n in range(count):
        package.item(f"i{n}", **trade([line(price=quantity)], day=9 + n % 9))
    return package


def test_a_dry_run_judges_a_window_of_postings_with_the_same_few_queries(run, filled):
    queries(run, moving(2), dry_run=True)
    few, many = (queries(run, moving(n), dry_run=True) for n in (2, 40))
    assert few == many
    run(moving(40))
    again = [moving(n, quantity="3") for n in (2, 40)]
    few, many = (queries(run, package, dry_run=True) for package in again)
    assert few == many
