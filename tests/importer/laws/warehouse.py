"""Strategies for packages that move stock, and for user changes between two runs.

Stock is short, currencies differ, catalogs change between the documents, and much of a
package fails, so that what is posted depends on what else is.
"""

from __future__ import annotations

import copy

from hypothesis import strategies as st

from documents.models import BankReceipt, GoodsIssue, GoodsReceipt, SalesOrder
from documents.services import post, unpost
from platform_site.records import services
from platform_site.records.errors import Refusal
from tests.builders import a_package, code, ref, row_of
from tests.importer.documents.packages import company, in_main, payment

MODELS = (SalesOrder, GoodsReceipt, GoodsIssue, BankReceipt)
BY_HAND = ("HAND-1", "HAND-2", "HAND-3")
ITEMS = [*[code("RICE"), code("TEA")] * 3, code("FREIGHT"), ref("new"), code("NEW")]
CATEGORIES = ["goods", "service", "material"]
DEEDS = ["edit", "edit", "post", "post", "unpost", "delete", "delete", "restore"]
FATES = [*["keep"] * 5, "less", "more", "day", "place", "comment", "comment", "gone"]
chances = st.randoms(use_true_random=True)


def _line(pick, most=9):
    quantity, price = str(pick(range(1, most))), pick(["1", "2.5", "0.3333"])
    return {"itemId": pick(ITEMS), "quantity": quantity, "price": price}


def _trade(pick, most=9):
    return {
        "counterpartyId": code("P"),
        "currencyId": code(pick([*["EUR"] * 6, "USD"])),
        "warehouseId": code(pick([*["MAIN"] * 4, "SIDE"])),
        "date": _day(pick(range(1, 9))),
        "lines": [_line(pick, most) for _ in range(pick([1, 1, 2, 3]))],
        **pick([{}, {}, {"comment": "x"}]),
    }


def _day(number):
    return f"2026-03-{number:02}T12:00:00Z"


def _package(pick):
    package = a_package("laws")
    package.with_step("Items").goods("new", "NEW", code("PC"))
    chapters = [_receipts, _receipts, _issues, _issues, _copies, _adopted]
    chapters += [_payments, _items, _accounts]
    keys = {
        "onChange": pick(["skip", "update", "update", "update"]),
        "onDeleted": pick(["skip", "restore"]),
        "onUserModified": pick(["skip", "overwrite", "merge"]),
    }
    chosen = [chapter for chapter in chapters if pick([1, 1, 1, 0])]
    for place, chapter in enumerate(pick([chosen, chosen[::-1], chosen])):
        chapter(pick, package, place, keys)
    return package


def _receipts(pick, package, place, keys):
    submit = pick([True, True, True, False])
    package.documents("GoodsReceipts", **keys, submit=submit)
    for n in range(pick([1, 2, 3])):
        package.item(f"r{place}{n}", **_trade(pick, 12))


def _issues(pick, package, place, keys):
    submit = pick([True, True, True, False])
    package.documents("GoodsIssues", **keys, submit=submit)
    for n in range(pick([1, 2, 3, 4])):
        package.item(f"i{place}{n}", **_trade(pick, 5))
    if pick([True, False]):
        package.created("BankReceipts", "GoodsIssues", submit=submit)
        paid = {"$source": ref(f"i{place}0"), "bankAccountId": code("B")}
        package.item(f"b{place}", **paid, date=_day(9))


def _copies(pick, package, place, keys):
    package.documents("SalesOrders", **keys, submit=pick([True, False]))
    numbers = range(pick([1, 2]))
    for n in numbers:
        package.item(f"o{place}{n}", **_trade(pick, 5))
    package.created("GoodsIssues", "SalesOrders", submit=True)
    for n in numbers:
        date = _day(pick(range(1, 9)))
        package.item(f"c{place}{n}", **{"$source": ref(f"o{place}{n}")}, date=date)


def _adopted(pick, package, place, keys):
    package.documents("GoodsReceipts", **keys, match=["code"], submit=pick([1, 0]) == 1)
    for each in BY_HAND[: pick([1, 2, 3])]:
        package.item(f"{each}{place}", **_trade(pick), code=each)


def _payments(pick, package, place, keys):
    package.documents("BankReceipts", **keys, submit=pick([True, True, False]))
    package.item(f"p{place}", **payment("5", pick(range(1, 9))))


def _items(pick, package, place, keys):
    """Say of known items whether they have stock, which posted documents fix."""
    taking = {"match": ["code"], "takeOver": ["company"], "onChange": "update"}
    package.with_step("Items", **taking)
    for each in ("RICE", "TEA", "FREIGHT")[: pick([1, 2, 3])]:
        package.goods(f"{each}{place}", each, code("PC"), category=pick(CATEGORIES))


def _accounts(pick, package, place, keys):
    taking = {"match": ["code"], "takeOver": ["company"], "onChange": "update"}
    package.with_step("BankAccounts", **taking)
    currency = code(pick(["EUR", "USD"]))
    package.item(f"bank{place}", code="B", name="Bank", currencyId=currency)


def _changed(pick, package):
    """Return a package similar to another one, with some documents changed."""
    later = copy.deepcopy(package)
    for step in later.steps:
        kept = []
        for item in step["items"]:
            fate = pick(FATES)
            if fate != "gone" or "document" not in step or item["$id"][0] in "oi":
                kept.append(item)
            if "lines" in item:
                _change(pick, item, fate)
        step["items"] = kept
    return later


def _change(pick, item, fate):
    if fate in ("less", "more"):
        quantity = {"less": "1", "more": "11"}[fate]
        # Not the very lines: packages share what they were drawn with.
        item["lines"] = [{**each, "quantity": quantity} for each in item["lines"]]
    elif fate == "day":
        item["date"] = _day(pick(range(1, 9)))
    elif fate == "place":
        item["warehouseId"] = code(pick(["MAIN", "SIDE"]))
    elif fate == "comment":
        item["comment"] = "changed"


@st.composite
def stories(draw):
    """Draw a package, user changes, and another or changed package."""
    pick = draw(chances).choice
    first = _package(pick)
    acts = [(pick(DEEDS), pick(range(20)), pick(range(1, 9))) for _ in range(5)]
    second = _changed(pick, first) if pick([1, 1, 0]) else _package(pick)
    return first, acts, second


def act(doings, admin):
    """Change, post, unpost, delete or restore documents as a user."""
    rows = [row for model in MODELS for row in model.objects.order_by("-pk")]
    for doing, place, number in doings if rows else ():
        row = rows[place % len(rows)]
        row.refresh_from_db()
        try:
            if doing == "edit":
                data = {"date": _day(number)}
                services.update_record(row=row, data=data, actor=admin)
            elif doing == "delete":
                services.delete_record(row=row, actor=admin)
            elif doing == "restore":
                services.restore_record(row=row, actor=admin)
            else:
                (post if doing == "post" else unpost)(row=row, actor=admin)
        except Refusal:
            continue  # in use, or needed by other documents


def found_a_company(run, admin):
    """Create the company, with two warehouses and currencies, and some receipts."""
    more = (
        company()
        .with_step("Currencies")
        .item("usd", code="USD", name="Dollar")
        .with_step("Warehouses")
        .item("side", code="SIDE", name="Side")
    )
    assert not run(more).has_errors
    rice = row_of("Items", "RICE").pk
    for day, each in enumerate(BY_HAND, start=2):
        line = {"itemId": rice, "quantity": "4", "price": "2"}
        data = {"code": each, "date": _day(day), "lines": [line], **in_main()}
        row = services.create_record(model=GoodsReceipt, data=data, actor=admin)
        if day < 4:
            post(row=row, actor=admin)
