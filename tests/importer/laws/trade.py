"""Strategies for packages of documents and executions, and for user changes between two
runs.

Documents are posted, created from one another, referred to by predicted numbers and
matched with existing ones; processors are executed once, always or not at all. There is
enough stock, so that posting refuses nothing (OPEN-30); `warehouse` is about stock that
is short.
"""

from __future__ import annotations

import copy
from decimal import Decimal

from hypothesis import strategies as st

from documents.models import BankReceipt, GoodsIssue, GoodsReceipt, SalesOrder
from documents.services import post, unpost
from platform_site.records import services
from platform_site.records.errors import Refusal
from tests.builders import a_package, code, ref, row_of
from tests.importer.documents.packages import (
    company,
    in_main,
    line,
    payment,
    receipts,
    trade,
)

MODELS = (SalesOrder, GoodsReceipt, GoodsIssue, BankReceipt)
BY_HAND = ("HAND-1", "HAND-2")

QUANTITIES = [
    *("1", "2.5", "2.50", Decimal("2.5"), Decimal("2.50")) * 4,
    "0",
    "1.00001",
]
COMMENTS = [{}, {"comment": "x"}, {"comment": "y"}]
BANKS = [*[code("B")] * 9, code("NONE")]
CODES = [*[{}] * 5, {"code": "MINE"}, {"code": BY_HAND[0]}]
DRAWN = tuple(f"SO-2026-{number:06}" for number in (1, 2, 3, 4, 5, 9))
EXECUTIONS = [
    ("RecalculateCosts", {"from": "2026-03-01", "to": "2026-03-31"}),
    ("RecalculateCosts", {"from": "2026-03-01", "to": "2026-04-30"}),
    ("RecalculateCosts", {"from": "$today-30d", "to": "$today"}),
    ("RecalculateCosts", {"from": "2026-03-31", "to": "2026-03-01"}),
    ("ImportItemsFromCsv", {}),
    ("ImportPackageFromUrl", {}),
]
DEEDS = ["edit", "say x", "say x", "delete", "delete", "post", "unpost"]
FATES = ["keep", "keep", "say x", "say x", "say y", "otherwise"]


def _lines(pick):
    items = ["RICE", "TEA", "FREIGHT"]
    return [line(pick(items), pick(QUANTITIES)) for _ in range(pick([1, 1, 2, 3]))]


def _package(pick, how_often):
    """Return a package of orders, issues and payments, some created from others."""
    start = pick([0, 0, 2])
    numbers = range(start, start + pick([1, 2, 3]))
    flags, package = [True, False], a_package("laws")
    keys = {"onChange": pick(["skip", "update", "update"])}
    keys["onDeleted"] = pick(["skip", "restore"])
    keys["onUserModified"] = pick(["skip", "skip", "overwrite"])
    package.documents("SalesOrders", **keys, submit=pick(flags))
    for n in numbers:
        more = {**pick(CODES), **pick(COMMENTS)}
        package.item(f"o{n}", **trade(_lines(pick), day=10), **more)
    package.documents("SalesOrders", **keys, match=["code"], submit=pick(flags))
    for each in BY_HAND[: pick([0, 0, 1, 2])]:
        package.item(each, **trade(_lines(pick), day=10), code=each, **pick(COMMENTS))
    package.documents("GoodsReceipts", **keys, submit=True)
    for n in numbers:
        package.item(f"r{n}", **trade(_lines(pick), day=10), **pick(COMMENTS))
    package.created("GoodsIssues", "SalesOrders", submit=pick(flags))
    package.steps[-1]["onDeleted"] = keys["onDeleted"]
    for n in numbers:
        more = {"lines": _lines(pick)} if pick(flags) else pick(COMMENTS)
        source = pick([*[ref(f"o{n}")] * 6, *map(code, DRAWN)])
        package.item(f"i{n}", **{"$source": source}, **more, date=_day(11))
    package.created("BankReceipts", "GoodsIssues", submit=pick(flags))
    for n in numbers:
        named = {"$source": ref(f"i{n}"), "bankAccountId": pick(BANKS)}
        package.item(f"b{n}", **named, **pick(COMMENTS), date=_day(12))
    package.documents("BankReceipts", **keys)
    package.item("alone", **payment(pick(["1", "1.00", "2", "-1"])))
    for n in range(pick([0, 1, 1, 2])):
        name, given = pick(EXECUTIONS)
        package.executions(name, execute=pick(how_often))
        package.item(f"x{n}", **given)
    return package


def _changed(pick, package):
    """Return a package similar to another one, with some values changed or written
    differently."""
    later = copy.deepcopy(package)
    for step in later.steps:
        for item in step["items"] if "dataProcessor" not in step else ():
            fate = pick(FATES)
            if fate.startswith("say"):
                item["comment"] = fate[-1]
            elif fate == "otherwise" and "amount" in item:
                item["amount"] += "0" if "." in item["amount"] else ".0"
            elif fate == "otherwise" and "lines" in item:
                # Not the very lines: packages share what they were drawn with.
                item["lines"] = [
                    {**each, "price": each["price"] + "0"} for each in item["lines"]
                ]
    return later


def _acts(pick):
    return [(pick(DEEDS), pick(range(13))) for _ in range(pick(range(2, 9)))]


# A law wants every case often: what hypothesis draws by itself is mostly the simplest.
chances = st.randoms(use_true_random=True)


@st.composite
def packages_and_acts(draw):
    """Draw a package that executes nothing twice, and the user changes after it."""
    pick = draw(chances).choice
    return _package(pick, ["once"]), _acts(pick)


@st.composite
def stories(draw):
    """Draw a package, user changes, and another or changed package."""
    pick = draw(chances).choice
    how_often = ["once", "always"]
    first = _package(pick, how_often)
    second = _changed(pick, first) if pick([1, 0]) else _package(pick, how_often)
    return first, _acts(pick), second


def _day(number):
    return f"2026-03-{number}T12:00:00Z"


def act(doings, admin):
    """Change, delete, post or unpost rows of the first run as a user."""
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
            if doing in ("edit", "say x"):
                said = {"comment": "hand" if doing == "edit" else "x"}
                services.update_record(row=row, data=said, actor=admin)
            elif doing == "delete":
                services.delete_record(row=row, actor=admin)
            else:
                (post if doing == "post" else unpost)(row=row, actor=admin)
        except Refusal:
            continue  # in use, or needed by later documents


def stock(run, admin):
    """Create the company, enough stock for all packages, and some orders."""
    run(company())
    plenty = [line(item, "100000") for item in ("RICE", "TEA")]
    assert not run(receipts(("plenty", trade(plenty)))).has_errors
    ordered = {"itemId": row_of("Items", "RICE").pk, "quantity": "1", "price": "2"}
    for each in BY_HAND:
        data = {"code": each, "date": _day(10), "lines": [ordered], **in_main()}
        services.create_record(model=SalesOrder, data=data, actor=admin)
