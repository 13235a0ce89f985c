"""Random sequences of operations: registers and refusals must equal those of naive
books."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import transaction
from django.db.models import Sum
from hypothesis import given, strategies as st

from documents.models import (
    GoodsIssue,
    GoodsReceipt,
    LedgerEntry,
    StockBalance,
    StockMovement,
)
from documents.registers.balances import stock_on_hand
from platform_site.records.errors import Refusal
from tests.catalogs.rows import stored
from tests.documents.naive import Books, Doc
from tests.documents.rows import (
    as_lines,
    balances,
    day,
    delete,
    edit,
    post,
    restore,
    unpost,
)
from tests.drill import effort

FAR_AWAY = datetime(9999, 1, 1, tzinfo=UTC)

MODELS = {1: GoodsReceipt, -1: GoodsIssue}

quantities = st.sampled_from(["0.5", "1", "2", "3", "7", "10"]).map(Decimal)
prices = st.sampled_from(["0", "0.0001", "1", "3.3333", "7", "19.99"]).map(Decimal)
lines = st.lists(
    st.tuples(st.sampled_from(["RICE", "TEA"]), quantities, prices),
    min_size=1,
    max_size=3,
).map(tuple)
docs = st.builds(
    Doc,
    sign=st.sampled_from([1, 1, -1]),
    day=st.integers(1, 5),
    place=st.sampled_from(["MAIN", "MAIN", "OTHER"]),
    lines=lines,
)
which = st.integers(0, 20)
operations = st.lists(
    st.one_of(
        st.tuples(st.just("post"), docs),
        st.tuples(st.just("post"), docs),
        st.tuples(st.just("create"), docs),
        st.tuples(st.just("again"), which),
        st.tuples(st.just("unpost"), which),
        st.tuples(st.just("delete"), which),
        st.tuples(st.just("restore"), which),
        st.tuples(st.just("edit"), st.tuples(which, docs)),
    ),
    min_size=3,
    max_size=14,
)


class Story:
    """A state machine that applies every operation to the product and to naive
    books."""

    def __init__(self, world):
        self.world, self.books = world, Books()
        self.rows, self.said, self.deleted = [], [], set()
        self.items = {"RICE": world.rice, "TEA": world.tea}
        self.places = {"MAIN": world.main, "OTHER": world.other}

    def values(self, doc):
        return {
            "date": day(doc.day),
            "warehouseId": self.places[doc.place].pk,
            "lines": as_lines([(self.items[i], q, p) for i, q, p in doc.lines]),
        }

    def do(self, what, about):
        if what in ("post", "create"):
            model = MODELS[about.sign]
            row = self.world.create(model, [], post=False, **self.values(about))
            self.rows.append(row)
            self.said.append(about)
            if what == "post":
                self.posting(len(self.rows) - 1)
            return
        if not self.rows:
            return
        number, doc = about if what == "edit" else (about, None)
        number %= len(self.rows)
        if what == "edit":
            self.editing(number, Doc(self.said[number].sign, *parts(doc)))
        elif what == "again":
            self.posting(number)
        elif what == "restore":
            restore(self.rows[number])
            self.deleted.discard(number)
        else:
            undo = {"unpost": unpost, "delete": delete}[what]
            if number in self.deleted:
                return
            if self.asks(number, None, lambda: undo(self.rows[number])):
                self.books.unpost(number)
                self.deleted |= {number} if what == "delete" else set()

    def posting(self, number):
        if number in self.deleted or number in self.books.posted:
            return
        doc = self.said[number]
        if self.asks(number, doc, lambda: post(self.rows[number])):
            self.books.post(number, doc)

    def editing(self, number, doc):
        row, was = self.rows[number], number in self.books.posted
        if number in self.deleted:
            return
        new = doc if was else None
        if self.asks(number, new, lambda: edit(row, **self.values(doc))):
            changed = doc != self.said[number]
            self.said[number] = doc
            if was and changed:
                self.books.post(number, doc)

    def asks(self, number, doc, act):
        """Perform the operation and compare its refusal with the prediction of the
        books."""
        possible = self.books.fits(doc, without=number)
        try:
            act()
            done = True
        except Refusal as refusal:
            done = "needed" not in str(refusal)
        assert done is possible
        return done

    def check(self):
        found = {
            (row.item_code, row.warehouse_code): (row.quantity, row.value)
            for row in stock_on_hand()
        }
        assert found == self.books.on_hand()
        # With a time the movements are summed, without one the balances are read.
        assert stock_on_hand(FAR_AWAY) == stock_on_hand()
        assert balances() == self.books.ledger()
        self.check_movements()
        sums = LedgerEntry.objects.values("currency").annotate(
            debits=Sum("debit"), credits=Sum("credit")
        )
        assert all(each["debits"] == each["credits"] for each in sums)
        for balance in StockBalance.objects.all():
            pair = balance.item.code, balance.warehouse.code
            expected = found.get(pair, (0, 0))
            assert (balance.quantity, balance.value) == expected

    def check_movements(self):
        """Check that every movement belongs to a posted document and equals that of the
        books."""
        numbers = {(r.catalog_name, r.pk): n for n, r in enumerate(self.rows)}
        moved = {}
        for each in StockMovement.objects.order_by("pk"):
            number = numbers[each.document_type, each.document_id]
            assert stored(self.rows[number]).is_active
            moved.setdefault(number, []).append(
                (
                    each.item.code,
                    each.warehouse.code,
                    each.date.day,
                    each.quantity,
                    each.value,
                )
            )
        assert moved == self.books.moved
        posted = {n for n, row in enumerate(self.rows) if stored(row).is_active}
        assert posted == set(self.books.posted)
        for entry in LedgerEntry.objects.all():
            assert numbers[entry.document_type, entry.document_id] in posted


def parts(doc):
    return doc.day, doc.place, doc.lines


@pytest.mark.django_db
@effort(60)
@given(operations=operations)
def test_the_registers_equal_naive_books(world, operations):
    with transaction.atomic():
        story = Story(world)
        for what, about in operations:
            story.do(what, about)
            story.check()
        transaction.set_rollback(True)
