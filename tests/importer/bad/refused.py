"""Packages with an object that only tables or services can refuse."""

from __future__ import annotations

from decimal import Decimal

from tests.importer.bad.row import Found, bad_item, folder, goods, unit

TWIN = "Twin"


def missing(name, catalog, item, *places, **more):
    """Return a package with an object that refers to a missing row."""
    return bad_item(name, Found.IN_LOOK_UP, catalog, item, *places, **more)


def refused(name, catalog, item, *places, **more):
    """Return a package with an object that the services refuse."""
    return bad_item(name, Found.BY_SERVICES, catalog, item, *places, **more)


def refused_goods(name, *places, **properties):
    """Return a package with an item of goods that the services refuse."""
    return refused(name, "Items", goods(**properties), *places)


LOOK_UPS = [
    missing(
        "an unknown code",
        "Items",
        goods(unitOfMeasureId={"$code": "nowhere"}),
        "unitOfMeasureId",
        says='"nowhere"',
    ),
    missing(
        "a code in the wrong case",
        "Items",
        goods(unitOfMeasureId={"$code": "PCS"}),
        "unitOfMeasureId",
    ),
    missing(
        "a code of another catalog",
        "Items",
        goods(unitOfMeasureId={"$code": "tools"}),
        "unitOfMeasureId",
    ),
    missing(
        "a code of a deleted row",
        "Items",
        goods(unitOfMeasureId={"$code": "gone"}),
        "unitOfMeasureId",
    ),
    missing(
        "a code of a later object",
        "BankAccounts",
        unit(currencyId={"$code": "after"}),
        "currencyId",
    ),
    missing("its own code", "Items", folder(parentId={"$code": "bad"}), "parentId"),
    missing(
        "two unknown codes",
        "Items",
        goods(unitOfMeasureId={"$code": "x"}, parentId={"$code": "y"}),
        "parentId",
        "unitOfMeasureId",
    ),
    missing(
        "two rows that match",
        "UnitsOfMeasure",
        unit(name=TWIN),
        "",
        keys={"match": ["name"]},
        says="2 rows",
    ),
]

VALUES = [
    *(
        refused(f"{name} is {shown}", "UnitsOfMeasure", unit(**{name: value}), name)
        for name in ("code", "name")
        for shown, value in (
            ("null", None),
            ("empty", ""),
            ("blank", "  \t"),
            ("with a control character", "a\u0001b"),
            ("with a zero byte", "a\u0000b"),
            ("with a delete character", "a\u007fb"),
        )
    ),
    refused("a code of 21 letters", "UnitsOfMeasure", unit(code="x" * 21), "code"),
    refused("a name of 251 letters", "UnitsOfMeasure", unit(name="x" * 251), "name"),
    refused("code and name empty", "UnitsOfMeasure", unit(code="", name=""),
            "code", "name"),
    refused_goods("a negative price", "price", price=-1),
    refused_goods("a price just below zero", "price", price="-0.0001"),
    refused_goods("five decimals", "price", price=Decimal("1.00001")),
    refused_goods("five decimals as a text", "price", price="1.00001"),
    refused_goods("five decimals that are zeros", "price", price=Decimal("1.00000")),
    refused_goods("15 digits in a text", "price", price="100000000000000"),
    refused_goods("many leading digits in a text", "price", price="9" * 900),
    refused_goods("a price of a thousand tiny digits", "price", price="0." + "0" * 900),
    refused_goods("a barcode of 51 letters", "barcode", barcode="x" * 51),
    refused_goods("goods without a category", "category", category=None),
    refused_goods("goods without a unit", "unitOfMeasureId", unitOfMeasureId=None),
    refused("seven minor units", "Currencies", unit(minorUnits=7), "minorUnits"),
    refused("minor units below zero", "Currencies", unit(minorUnits=-1), "minorUnits"),
    refused("minor units beyond all", "Currencies", unit(minorUnits=10**30), "minorUnits"),
    refused("no address of mail", "Counterparties", unit(email="nobody"), "email"),
    refused("a bank account without a currency", "BankAccounts",
            unit(currencyId=None), "currencyId"),
]  # fmt: skip

RULES = [
    refused("a code that is taken", "UnitsOfMeasure", unit(code="pcs"), "code"),
    refused("a code that is taken but for blanks", "UnitsOfMeasure",
            unit(code=" pcs "), "code"),
    refused("a code another object of the package has", "UnitsOfMeasure", unit(),
            "code", siblings=[unit(**{"$id": "first"})]),
    refused("a code another object has but for blanks", "UnitsOfMeasure",
            unit(code="bad "), "code", siblings=[unit(**{"$id": "first"})]),
    refused("a role another account has", "Accounts",
            folder(role="bank"), "role",
            siblings=[folder(**{"$id": "first", "code": "first", "role": "bank"})]),
    refused_goods("a parent that is no folder", "parentId",
                  parentId={"$code": "hammer"}),
    refused("a parent of this package that is no folder", "Items",
            goods(parentId={"$ref": "first"}), "parentId",
            siblings=[goods(**{"$id": "first", "code": "first"})]),
    refused("a folder inside its own folder", "Items",
            {**folder(code="a"), "$id": "folder:a", "parentId": {"$code": "b"}},
            "parentId", depend=False),
    refused("a folder inside itself", "Items",
            {**folder(code="a"), "$id": "folder:a", "parentId": {"$code": "a"}},
            "parentId", depend=False),
    refused("a folder that becomes an item", "Items",
            {**goods(code="a"), "$id": "folder:a"}, "isFolder", depend=False),
    refused("an item that becomes a folder", "Items",
            {**folder(code="known"), "$id": "item:known"},
            "isFolder", depend=False),
    refused("a changed object with a taken code", "Items",
            {**goods(code="tools"), "$id": "item:known"}, "code", depend=False),
    refused("a changed object with an empty name", "Items",
            {**goods(code="known", name=""), "$id": "item:known"},
            "name", depend=False),
    refused("an adopted row with a wrong value", "UnitsOfMeasure",
            unit(code="pcs", name=""), "name", keys={"match": ["code"]}, depend=False),
]  # fmt: skip

REFUSED = [*LOOK_UPS, *VALUES, *RULES]
