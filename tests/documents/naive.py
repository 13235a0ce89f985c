"""A naive model of the registers: every question is answered by going through all
postings, with fractions. The product must get the same results."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction


@dataclass(frozen=True)
class Doc:
    """A document; sign 1 is a receipt, -1 an issue."""

    sign: int
    day: int
    place: str
    lines: tuple[tuple[str, Decimal, Decimal], ...]

    @property
    def total(self):
        return sum((rounded(q * p) for _, q, p in self.lines), Decimal(0))


def rounded(value):
    """Round half away from zero to four places."""
    scaled = abs(Fraction(value)) * 10_000
    whole = (scaled + Fraction(1, 2)).__floor__()
    return Decimal(whole if value >= 0 else -whole) / 10_000


class Books:
    """The movements of posted documents, by document key."""

    def __init__(self):
        self.posted = {}
        self.moved = {}

    def movements(self):
        return [(key, *m) for key, moves in self.moved.items() for m in moves]

    def stock(self, item, place, day):
        """Return (quantity, value) after everything dated up to a day."""
        found = [
            (quantity, value)
            for _, i, p, d, quantity, value in self.movements()
            if (i, p) == (item, place) and d <= day
        ]
        return sum(q for q, _ in found), sum(v for _, v in found)

    def fits(self, doc, without=None):
        """Return whether stock suffices at every time if a document is added."""
        docs = [d for key, d in self.posted.items() if key != without]
        docs += [doc] if doc else []
        moves = [
            (d.day, item, d.place, d.sign * quantity)
            for d in docs
            for item, quantity, _ in d.lines
        ]
        pairs = {(item, place) for _, item, place, _ in moves}
        return all(
            sum(q for day, i, p, q in moves if (i, p) == pair and day <= until) >= 0
            for pair in pairs
            for until in {day for day, *_ in moves}
        )

    def post(self, key, doc):
        self.unpost(key)
        moves = self.moved[key] = []
        self.posted[key] = doc
        for item, quantity, price in doc.lines:
            value = rounded(quantity * price)
            if doc.sign < 0:
                stocked, worth = self.stock(item, doc.place, doc.day)
                average = Fraction(worth) / Fraction(stocked)
                share = (
                    worth
                    if stocked == quantity
                    else rounded(Fraction(quantity) * average)
                )
                value = share
            moves.append(
                (item, doc.place, doc.day, doc.sign * quantity, doc.sign * value)
            )

    def unpost(self, key):
        self.posted.pop(key, None)
        self.moved.pop(key, None)

    def on_hand(self):
        """Return {(item, place): (quantity, value)} without zeros."""
        pairs = {(item, place) for _, item, place, *_ in self.movements()}
        found = {pair: self.stock(*pair, 99) for pair in pairs}
        return {pair: stock for pair, stock in found.items() if any(stock)}

    def ledger(self):
        """Return the balance of each role, without zeros."""
        found = Counter()
        for key, doc in self.posted.items():
            cost = -sum(m[4] for m in self.moved[key])
            postings = (
                [("inventory", "payables", doc.total)]
                if doc.sign > 0
                else [
                    ("receivables", "sales", doc.total),
                    ("costOfGoods", "inventory", cost),
                ]
            )
            for debit, credit, amount in postings:
                found[debit] += amount
                found[credit] -= amount
        return {role: balance for role, balance in found.items() if balance}
