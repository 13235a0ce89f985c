"""Packages with invalid document steps or documents."""

from __future__ import annotations

from tests.builders import code, ref
from tests.importer.bad.row import Found, bad_item, bad_step, without

LINE = {"itemId": code("hammer"), "quantity": "1", "price": "2"}
_ORDER = {
    "$id": "bad",
    "date": "2026-03-01T12:00:00Z",
    "counterpartyId": code("partner"),
    "currencyId": code("EUR"),
    "lines": [LINE],
}
_ISSUE = {"$id": "bad", "$source": code("SO-MINE"), "warehouseId": ref("before")}


def order(**properties):
    """Return a valid order with the given changes."""
    return {**_ORDER, **properties}


def lines(*said):
    """Return a valid order whose lines have the given changes."""
    return order(lines=[LINE, *({**LINE, **line} for line in said)])


def step(**keys):
    """Return a valid step of orders with the given changes."""
    return {"document": "SalesOrders", "items": [_ORDER], **keys}


def creating(**keys):
    """Return a valid step of issues created from orders, with the given changes."""
    return {
        "createFrom": "SalesOrders",
        "document": "GoodsIssues",
        "items": [_ISSUE],
        **keys,
    }


def bad_order(name, item, *places, found=Found.IN_ITEM, **more):
    """Return a package with one invalid order."""
    keys = {"document": "SalesOrders", **more.pop("keys", {})}
    return bad_item(name, found, "", item, *places, keys=keys, **more)


def bad_issue(name, item, *places, found=Found.IN_ITEM, **more):
    """Return a package with one invalid issue created from an order."""
    keys = without(creating(), "items")
    return bad_item(name, found, "", item, *places, keys=keys, **more)


_POLICIES = ({"onChange": "skip"}, {"onUserModified": "skip"}, {"match": ["code"]})
_LOOK_UP, _SERVICES = Found.IN_LOOK_UP, Found.BY_SERVICES

DOCUMENTS = [
    bad_step("two kinds", step(dictionary="SalesOrders"), ""),
    bad_step("a document step of a catalog", step(document="Items"), "document"),
    bad_step("a document in the wrong case", step(document="salesOrders"), "document",
             says='did you mean "SalesOrders"?'),
    bad_step("submit as a text", step(submit="true"), "submit"),
    bad_step("submit null", step(submit=None), "submit"),
    bad_step("createFrom without a document", without(creating(), "document"), ""),
    bad_step("createFrom beside dictionary",
             without(creating(dictionary="GoodsIssues"), "document"), "createFrom", ""),
    bad_step("created from a catalog", creating(createFrom="Items"), "createFrom"),
    bad_step("created from a number", creating(createFrom=5), "createFrom"),
    bad_step("a pair nobody can create", creating(document="GoodsReceipts"), "document",
             says="can't be created from"),
    bad_step("a catalog created from an order", creating(document="Items"), "document"),
    *(
        bad_step(f"{next(iter(keys))} where documents are created", creating(**keys),
                 next(iter(keys)))
        for keys in _POLICIES
    ),
    bad_order("an order without lines", without(_ORDER, "lines"), "lines"),
    bad_order("lines as an object", order(lines={}), "lines"),
    bad_order("a line that is a text", order(lines=["hammer"]), "lines[0]"),
    bad_order("a line without a price", order(lines=[without(LINE, "price")]),
              "lines[0].price"),
    bad_order("a line with an unknown key", lines({"colour": "red"}), "lines[1].colour"),
    bad_order("a line with an id of its own", lines({"$id": "x"}), "lines[1].$id"),
    bad_order("a line with a plain key", lines({"itemId": 1}), "lines[1].itemId"),
    bad_order("a quantity of five places", lines({"quantity": True}), "lines[1].quantity"),
    bad_order("a total", order(total="2"), "total"),
    bad_order("a key of the row", order(id=1), "id"),
    bad_order("posted without submit", order(isActive=True), "isActive"),
    bad_order("posted with null", order(isActive=None), "isActive"),
    bad_order("not posted with submit", order(isActive=False), "isActive",
              keys={"submit": True}),
    bad_order("a token in a price", lines({"price": "$today"}), "lines[1].price"),
    bad_order("a source where nothing is created", order(**{"$source": code("x")}),
              "$source"),
    bad_issue("no source", without(_ISSUE, "$source"), "$source"),
    bad_issue("a source that is null", {**_ISSUE, "$source": None}, "$source"),
    bad_issue("a source that is a text", {**_ISSUE, "$source": "SO-MINE"}, "$source"),
    bad_issue("a source of another kind", {**_ISSUE, "$source": ref("before")},
              "$source"),
    bad_issue("an unknown key with a dollar", {**_ISSUE, "$from": "x"}, "$from"),
    bad_order("no such item in a line", lines({"itemId": code("nail")}),
              "lines[1].itemId", found=_LOOK_UP),
    bad_issue("no such source", {**_ISSUE, "$source": code("SO-NONE")}, "$source",
              found=_LOOK_UP),
    bad_order("a folder in a line", lines({"itemId": code("tools")}),
              "lines[1].itemId", found=_SERVICES),
    bad_order("no line at all", order(lines=[]), "lines", found=_SERVICES),
    bad_order("lines are null", order(lines=None), "lines", found=_SERVICES),
    bad_order("a quantity of nothing", lines({"quantity": "0"}), "lines[1].quantity",
              found=_SERVICES),
    bad_order("a negative price", lines({"price": "-1"}), "lines[1].price",
              found=_SERVICES),
    bad_order("a price of five places", lines({"price": "1.00001"}), "lines[1].price",
              found=_SERVICES),
    bad_order("a time without an offset", order(date="2026-03-01T12:00:00"), "date",
              found=_SERVICES),
    bad_order("a code that is taken", order(code="SO-MINE"), "code", found=_SERVICES),
    bad_order("an amount no column holds",
              lines({"quantity": "99999999999999", "price": "10"}), "lines[1].price",
              found=_SERVICES),
]  # fmt: skip
