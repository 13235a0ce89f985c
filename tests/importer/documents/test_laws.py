"""What holds for every package of documents, whatever users did between two runs."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.models import BankReceipt, GoodsIssue, GoodsReceipt, SalesOrder
from tests.builders import a_package, code, ref
from tests.drill import effort
from tests.importer.documents.packages import company, line, payment, receipts, trade
from tests.importer.laws.world import rolled_back, told

pytestmark = pytest.mark.django_db
MODELS = (SalesOrder, GoodsReceipt, GoodsIssue, BankReceipt)

quantities = st.sampled_from(["1", "2.5", "7", "0", "1.00001"])
lines = st.lists(
    st.builds(line, st.sampled_from(["RICE", "TEA", "FREIGHT"]), quantities),
    min_size=1,
    max_size=3,
)
flags = st.booleans()
comments = st.sampled_from([{}, {"comment": "x"}, {"comment": "y"}])
banks = st.sampled_from([code("B"), code("B"), code("B"), code("NONE")])


@st.composite
def packages(draw):
    """Draw orders, issues and payments that follow from them, and some on their own."""
    numbers = range(draw(st.integers(1, 3)))
    package = a_package("laws")
    keys = {"onChange": draw(st.sampled_from(["skip", "update"]))}
    keys["onDeleted"] = draw(st.sampled_from(["skip", "restore", "restore"]))
    package.documents("SalesOrders", **keys, submit=draw(flags))
    for n in numbers:
        package.item(f"o{n}", **trade(draw(lines), day=10), **draw(comments))
    package.documents("GoodsReceipts", **keys, submit=True)
    for n in numbers:
        package.item(f"r{n}", **trade(draw(lines), day=10))
    package.created("GoodsIssues", "SalesOrders", submit=draw(flags))
    package.steps[-1]["onDeleted"] = keys["onDeleted"]
    for n in numbers:
        more = {"lines": draw(lines)} if draw(flags) else draw(comments)
        package.item(f"i{n}", **{"$source": ref(f"o{n}")}, **more, date=_day(11))
    package.created("BankReceipts", "GoodsIssues", submit=draw(flags))
    for n in numbers:
        named = {"$source": ref(f"i{n}"), "bankAccountId": draw(banks)}
        package.item(f"b{n}", **named, **draw(comments), date=_day(12))
    package.documents("BankReceipts", **keys)
    return package.item("alone", **payment(draw(st.sampled_from(["1", "-1"]))))


def _day(number):
    return f"2026-03-{number}T12:00:00Z"


acts = st.lists(
    st.tuples(
        st.sampled_from(["edit", "delete", "delete", "unpost"]), st.integers(0, 6)
    ),
    max_size=4,
)


def act(doings, admin):
    """Let a user change, delete or take back what the first run made."""
    from documents.services import unpost  # noqa: PLC0415 - reads well here
    from platform_site.records import services  # noqa: PLC0415
    from platform_site.records.errors import Refusal  # noqa: PLC0415

    # Last things first: what others were created from is in use, and stays.
    rows = [
        row
        for model in reversed(MODELS)
        for row in model.objects.exclude(import_key="plenty").order_by("-pk")
    ]
    for doing, place in doings if rows else ():
        row = rows[place % len(rows)]
        row.refresh_from_db()
        try:
            if doing == "edit":
                services.update_record(row=row, data={"comment": "hand"}, actor=admin)
            elif doing == "delete":
                services.delete_record(row=row, actor=admin)
            else:
                unpost(row=row, actor=admin)
        except Refusal:
            continue  # in use, or needed by later documents


@pytest.fixture
def stocked(run):
    run(company())
    plenty = [line(item, "100000") for item in ("RICE", "TEA")]
    assert not run(receipts(("plenty", trade(plenty)))).has_errors


def prepared(run, admin, first, doings):
    run(first, continue_on_error=True)
    act(doings, admin)


def test_the_stories_reach_most_outcomes(run, admin, stocked):
    seen = Counter()

    @effort(60)
    @given(first=packages(), second=packages(), doings=acts)
    def play(first, second, doings):
        with rolled_back():
            prepared(run, admin, first, doings)
            report = run(second, continue_on_error=True)
            seen.update(one.outcome.value for one in report.items)

    play()
    reached = {"Inserted", "Unchanged", "Updated", "Failed", "SkippedDrift"}
    assert reached | {"SkippedUserModified", "Restored"} <= {*seen}, seen


@effort(15)
@given(first=packages(), second=packages(), doings=acts)
def test_a_dry_run_predicts_the_run_and_writes_nothing(
    run, admin, business, stocked, first, second, doings
):
    with rolled_back():
        prepared(run, admin, first, doings)
        before = business()
        planned = run(second, dry_run=True)
        assert business() == before
        done = run(second, continue_on_error=True)
        assert told(planned)[0] == told(done)[0]


@effort(12)
@given(first=packages(), doings=acts)
def test_a_run_after_a_run_writes_nothing(run, admin, business, stocked, first, doings):
    with rolled_back():
        prepared(run, admin, first, doings)
        run(first, continue_on_error=True)
        before = business()
        report = run(first, continue_on_error=True)
        assert business() == before
        assert not {"Inserted", "Updated", "Restored"} & {
            str(one.outcome) for one in report.items
        }


@effort(6)
@given(first=packages(), second=packages(), doings=acts)
def test_the_size_of_the_window_decides_nothing(
    run, admin, stocked, first, second, doings
):
    found = []
    for window in (1, 3, 1000):
        with rolled_back():
            prepared(run, admin, first, doings)
            found.append(told(run(second, continue_on_error=True, window=window)))
    assert found[0] == found[1] == found[2]
