"""Builders of packages for a small trading company: catalogs, and documents with
default properties."""

from __future__ import annotations

from tests.builders import a_package, code, row_of

HEAD = {"counterpartyId": code("P"), "currencyId": code("EUR")}
IN_MAIN = {**HEAD, "warehouseId": code("MAIN")}


def company():
    """Return a package with the catalogs of the documents."""
    return (
        a_package("company")
        .with_step("UnitsOfMeasure")
        .unit("pc", "PC")
        .with_step("Currencies")
        .item("eur", code="EUR", name="Euro")
        .with_step("Warehouses")
        .item("main", code="MAIN", name="Main")
        .with_step("Items")
        .folder("goods", "GOODS")
        .goods("rice", "RICE", code("PC"))
        .goods("tea", "TEA", code("PC"))
        .goods("freight", "FREIGHT", code("PC"), category="service")
        .with_step("Counterparties")
        .item("p", code="P", name="Partner")
        .with_step("BankAccounts")
        .item("bank", code="B", name="Bank", currencyId=code("EUR"))
    )


def in_main():
    """Return what `IN_MAIN` names by the keys of its rows, for users."""
    return {
        "counterpartyId": row_of("Counterparties", "P").pk,
        "warehouseId": row_of("Warehouses", "MAIN").pk,
        "currencyId": row_of("Currencies", "EUR").pk,
    }


def line(item="RICE", quantity="1", price="2.50"):
    """Return a line of a document."""
    return {"itemId": code(item), "quantity": quantity, "price": price}


def trade(lines, day=1, **more):
    """Return the properties of a document with lines on a day of March 2026."""
    return {**IN_MAIN, "date": f"2026-03-{day:02}T12:00:00Z", "lines": lines, **more}


def payment(amount="1.00", day=1, **more):
    """Return the properties of a bank receipt."""
    return {
        "date": f"2026-03-{day:02}T12:00:00Z",
        "bankAccountId": code("B"),
        "counterpartyId": code("P"),
        "isIncome": True,
        "amount": amount,
        **more,
    }


def receipts(*items, **keys):
    """Return a package of posted receipts from (identifier, properties)."""
    return _of("GoodsReceipts", items, keys)


def issues(*items, **keys):
    """Return a package of posted issues from (identifier, properties)."""
    return _of("GoodsIssues", items, keys)


def _of(kind, items, keys):
    package = a_package(kind.lower())
    package.documents(kind, **{"submit": True, **keys})
    for identifier, properties in items:
        package.item(identifier, **properties)
    return package


def moving(*steps):
    """Return a package of posted documents from (kind, [(identifier, properties)])."""
    package = a_package("moving")
    for kind, items in steps:
        package.documents(kind, submit=True, onChange="update")
        for identifier, properties in items:
            package.item(identifier, **properties)
    return package


def rice(quantity, day=1, **more):
    """Return the properties of a document about a quantity of rice."""
    return trade([line(quantity=quantity)], day=day, **more)
