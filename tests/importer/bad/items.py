"""Packages with an object that is invalid whatever the tables contain."""

from __future__ import annotations

from decimal import Decimal

from tests.importer.bad.row import (
    Bad,
    Found,
    bad_item,
    folder,
    goods,
    unit,
    without,
)

HUGE = Decimal("1E3000000")


def wrong(name, catalog, item, *places, **more) -> Bad:
    """Return a package with an object that the check refuses."""
    return bad_item(name, Found.IN_ITEM, catalog, item, *places, **more)


def wrong_unit(name, item, *places, **more):
    """Return a package with an invalid unit of measure."""
    return wrong(name, "UnitsOfMeasure", item, *places, **more)


def wrong_goods(name, *places, **properties):
    """Return a package with an invalid item of goods."""
    return wrong(name, "Items", goods(**properties), *places)


def wrong_folder(name, *places, **properties):
    """Return a package with an invalid folder."""
    return wrong(name, "Items", folder(**properties), *places)


IDS = [
    wrong_unit("no $id", without(unit(), "$id"), "$id"),
    *(
        wrong_unit(f"$id is {shown}", unit(**{"$id": value}), "$id")
        for shown, value in (
            ("null", None),
            ("empty", ""),
            ("a number", 1),
            ("a huge number", HUGE),
            ("true", True),
            ("an array", ["bad"]),
            ("201 letters", "x" * 201),
            ("a token", "$today"),
            ("a word with a dollar", "$bad"),
        )
    ),
]

PROPERTIES = [
    wrong_unit("an unknown property", unit(colour="red"), "colour"),
    wrong_unit(
        "a property in PascalCase",
        without(unit(Code="x"), "code"),
        "Code",
        says='unknown property; did you mean "code"?',
    ),
    wrong(
        "a misspelt property that only goods need",
        "Items",
        without(goods(unitOfMesureId={"$code": "pcs"}), "unitOfMeasureId"),
        "unitOfMesureId",
    ),
    wrong(
        "a reference with a letter missing",
        "Items",
        goods(unitOfMeasureId={"$cod": "pcs"}),
        "unitOfMeasureId",
        says='a reference has one key, "$ref" or "$code"; did you mean "$code"?',
    ),
    wrong_unit("a property in snake case", unit(full_name="x"), "full_name"),
    wrong_unit("the key of the row", unit(id=1), "id"),
    wrong_unit("the version of the row", unit(version=1), "version"),
    wrong_unit("the mark of the row", unit(import_key="x"), "import_key"),
    wrong_unit("the mark's column", unit(Import_Key="x"), "Import_Key"),
    wrong_unit("another key with a dollar", unit(**{"$source": "x"}), "$source"),
    wrong_unit("an empty key", unit(**{"": 1}), ""),
    wrong_unit("no code", without(unit(), "code"), "code"),
    wrong_unit("nothing but an id", {"$id": "bad"}, "code", "name"),
    wrong("no isFolder", "Items", without(folder(), "isFolder"), "isFolder"),
    wrong("no category", "Items", without(goods(), "category"), "category"),
    wrong("no unit", "Items", without(goods(), "unitOfMeasureId"), "unitOfMeasureId"),
    wrong(
        "a property with a letter missing",
        "Items",
        goods(barcod="1"),
        "barcod",
        says='unknown property; did you mean "barcode"?',
    ),
    wrong(
        "a choice in the singular",
        "Items",
        goods(category="good"),
        "category",
        says='; did you mean "goods"?',
    ),
    wrong_folder("isFolder is null", "isFolder", isFolder=None),
    *(
        wrong(
            f"isFolder is {shown} and goods are described",
            "Items",
            goods(isFolder=value),
            "isFolder",
            says="isFolder: must be true or false",
        )
        for shown, value in (("null", None), ("a word", "no"), ("zero", 0))
    ),
    wrong(
        "no isFolder where goods are described",
        "Items",
        without(goods(), "isFolder"),
        "isFolder",
    ),
    wrong_folder("a category on a folder", "category", category="goods"),
    wrong_folder("a price on a folder", "price", price=1),
    wrong_folder("a barcode on a folder", "barcode", barcode=""),
    wrong_folder(
        "a unit on a folder", "unitOfMeasureId", unitOfMeasureId={"$code": "pcs"}
    ),
    wrong(
        "a property of match missing",
        "Items",
        goods(),
        "barcode",
        keys={"match": ["code", "barcode"]},
    ),
    wrong(
        "no currency of a bank account",
        "BankAccounts",
        unit(),
        "currencyId",
    ),
]

REFERENCES = [
    *(
        wrong_goods(
            f"a reference that {shown}", "unitOfMeasureId", unitOfMeasureId=value
        )
        for shown, value in (
            ("names nobody", {"$ref": "nobody"}),
            ("names a later object", {"$ref": "after"}),
            ("names itself", {"$ref": "bad"}),
            ("names an object of another catalog", {"$ref": "before"}),
            ("is a number", {"$ref": 1}),
            ("is null", {"$ref": None}),
            ("is empty", {"$ref": ""}),
            ("is a token", {"$ref": "$today"}),
            ("is 201 letters long", {"$ref": "x" * 201}),
            ("is a code that is a number", {"$code": 1}),
            ("is a code that is null", {"$code": None}),
            ("is an empty code", {"$code": ""}),
            ("is a code with a dollar", {"$code": "$pcs"}),
            ("is an id and a code", {"$ref": "before", "$code": "pcs"}),
            ("is an id and something else", {"$ref": "before", "name": "x"}),
            ("is by another key", {"$id": "before"}),
            ("is by a key without a dollar", {"code": "pcs"}),
            ("is an empty object", {}),
            ("is the key of a row", 1),
            ("is the key of a row as a text", "1"),
            ("is a huge number", HUGE),
            ("is an array", [{"$code": "pcs"}]),
            ("is true", True),
        )
    ),
    wrong_folder("a folder in itself", "parentId", parentId={"$ref": "bad"}),
    wrong_unit("a reference in a text", unit(name={"$code": "pcs"}), "name"),
    wrong_goods("a reference in a number", "price", price={"$ref": "before"}),
    wrong_goods("a reference in a choice", "category", category={"$code": "goods"}),
]

TOKENS = [
    *(
        wrong_unit(f"the text {text}", unit(name=text), "name")
        for text in (
            "$tomorrow",
            "$100",
            "$today-5",
            "$today+d",
            "$today +1d",
            "$Today",
            "$",
            "$now",
            "$today",
            "$today-5d",
        )
    ),
    wrong_unit("a code with a dollar", unit(code="$1"), "code"),
    wrong_goods("a token in a number", "price", price="$today"),
    wrong_goods("a token in a choice", "category", category="$goods"),
    wrong_goods("a token in a reference", "unitOfMeasureId", unitOfMeasureId="$today"),
    wrong_folder("a token in a truth value", "isFolder", isFolder="$now"),
]

TYPES = [
    wrong_unit("a number as code", unit(code=1), "code"),
    wrong_unit("true as name", unit(name=True), "name"),
    wrong_unit("an array as name", unit(name=["a"]), "name"),
    wrong_unit("an object as name", unit(name={}), "name"),
    wrong_unit("a huge number as name", unit(name=HUGE), "name"),
    wrong_unit("two wrong properties", unit(code=1, name=2), "code", "name"),
    *(
        wrong_folder(f"{shown} as isFolder", "isFolder", isFolder=value)
        for shown, value in (
            ("a text", "true"),
            ("one", 1),
            ("zero", 0),
            ("a huge number", HUGE),
        )
    ),
    *(
        wrong_goods(f"{shown} as price", "price", price=value)
        for shown, value in (
            ("a word", "dear"),
            ("true", True),
            ("an empty text", ""),
            ("a decimal comma", "1,5"),
            ("an exponent in a text", "1e3"),
            ("a blank before it", " 1"),
            ("a huge number", HUGE),
            ("a huge negative number", Decimal("-1E3000000")),
            ("15 digits", 10**14),
            ("an array", [1]),
        )
    ),
    *(
        wrong_goods(f"{shown} as category", "category", category=value)
        for shown, value in (
            ("a word of no choice", "gadget"),
            ("the wrong case", "Goods"),
            ("an empty text", ""),
            ("a number", 1),
            ("a huge number", HUGE),
        )
    ),
    *(
        wrong(
            f"{shown} as minorUnits", "Currencies", unit(minorUnits=value), "minorUnits"
        )
        for shown, value in (
            ("a text", "2"),
            ("a fraction", 2.5),
            ("true", True),
            ("a huge number", HUGE),
        )
    ),
    wrong(
        "a text as isCustomer", "Counterparties", unit(isCustomer="yes"), "isCustomer"
    ),
    wrong("a number as email", "Counterparties", unit(email=1), "email"),
]

ITEMS = [*IDS, *PROPERTIES, *REFERENCES, *TOKENS, *TYPES]
