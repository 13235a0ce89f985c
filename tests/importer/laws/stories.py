"""Strategies for random examples: rows entered by users, a package, user changes, and a
changed package.

All values come from small pools, so that codes collide, rows match and objects refer to
one another. An example is plain data and is printed as such when a test fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from hypothesis import strategies as st

UNITS, ITEMS = "UnitsOfMeasure", "Items"
COUNTERPARTIES, CURRENCIES, ACCOUNTS = "Counterparties", "Currencies", "BankAccounts"
ORDER = (UNITS, ITEMS, CURRENCIES, ACCOUNTS, COUNTERPARTIES, ITEMS, UNITS, ITEMS)
LETTER = {UNITS: "u", ITEMS: "i", COUNTERPARTIES: "p", CURRENCIES: "c", ACCOUNTS: "b"}
MATCHES = {
    UNITS: [["code"], ["name"]],
    ITEMS: [["code"], ["parentId", "name"], ["name"], ["code", "isFolder"], ["price"]],
    COUNTERPARTIES: [["code"], ["name", "email"]],
    CURRENCIES: [["code"], ["minorUnits", "name"]],
    ACCOUNTS: [["code"], ["name", "currencyId"]],
}
NAMES = ["North", "South", "Жест", "  East "]
FLAWS = ["noName", "blank", "unknown", "noRef", "null", "badPrice", "longCode"]
DEEDS = [
    "rename",
    "delete",
    "recode",
    "touch",
    "restore",
    "move",
    "delete",
    "rename",
    "rename",
    "agree",
    "agree",
]


@dataclass
class Story:
    user_rows: list
    first: list
    deeds: list
    second: list

    def __str__(self):
        return "\n".join(
            [
                f"user rows: {self.user_rows}",
                *(f"first:   {step}" for step in self.first),
                f"deeds:   {self.deeds}",
                *(f"second:  {step}" for step in self.second),
            ]
        )

    __repr__ = __str__


def often(usual, *others, times=4):
    return st.sampled_from([usual] * times + list(others))


@st.composite
def objects(draw, target, identifier, earlier):
    """Draw one object; ``earlier`` maps targets to ids that it may refer to."""
    item = {
        "$id": identifier,
        "code": draw(often(identifier.upper(), "A", "B", "I2", times=24)),
        "name": draw(st.sampled_from(NAMES)),
    }
    if target == ITEMS:
        _item(draw, item, earlier)
    elif target == CURRENCIES:
        item |= draw(st.sampled_from([{}, {"minorUnits": 2}, {"symbol": "€"}]))
    elif target == COUNTERPARTIES:
        extra = [{}, {"isCustomer": True}, {"email": "a@example.com"}, {"phone": ""}]
        item |= draw(st.sampled_from(extra))
    elif target == ACCOUNTS:
        item["currencyId"] = draw(reference(CURRENCIES, earlier))
    if draw(often(False, True, times=24)):
        _spoil(item, draw(st.sampled_from(FLAWS)))
    return item


def _item(draw, item, earlier):
    item["isFolder"] = folder = draw(often(False, True, times=1))
    if draw(often(True, False, times=2)):
        item["parentId"] = draw(reference(ITEMS, earlier, "folder"))
    elif draw(st.booleans()):
        item["parentId"] = None
    if not folder:
        item["category"] = draw(st.sampled_from(["goods", "service"]))
        item["unitOfMeasureId"] = draw(reference(UNITS, earlier))
        prices = [None, Decimal("1.5"), Decimal("1.50"), "7", 3]
        item["price"] = draw(st.sampled_from(prices))


@st.composite
def reference(draw, target, earlier, sort=""):
    known = earlier.get(sort or target, [])
    if known and draw(often(True, False, times=2)):
        return {"$ref": draw(st.sampled_from(known))}
    codes = [i.upper() for i in known] or ["A"]
    return {"$code": draw(often("A", *codes, "B", times=4))}


def _spoil(item, flaw):
    if flaw == "noName":
        del item["name"]
    elif flaw == "blank":
        item["name"] = " "
    elif flaw == "unknown":
        item["colour"] = 1
    elif flaw == "noRef":
        item["name"] = {"$ref": "u1"}
    elif flaw == "null":
        item["code"] = None
    elif flaw == "badPrice":
        item["price"] = -1
    elif flaw == "longCode":
        item["code"] = "L" * 51


@st.composite
def steps(draw, target, items):
    step = {"dictionary": target, "items": items}
    usable = [m for m in MATCHES[target] if all(i.keys() >= {*m} for i in items)]
    if usable and draw(often(True, False, times=3)):
        step["match"] = draw(often(usable[0], *usable, times=2))
    step["onChange"] = draw(often("update", "skip", times=2))
    step["onUserModified"] = draw(st.sampled_from(["skip", "overwrite"]))
    step["onDeleted"] = draw(st.sampled_from(["skip", "restore"]))
    return step


def note(earlier, target, item):
    earlier.setdefault(target, []).append(item["$id"])
    if item.get("isFolder") is True:
        earlier.setdefault("folder", []).append(item["$id"])


@st.composite
def first_packages(draw):
    earlier, numbers, found = {}, {}, []
    for target in ORDER:
        items = []
        most = 5 if target == ITEMS else 2
        for _ in range(draw(st.integers(0, most))):
            numbers[target] = numbers.get(target, 0) + 1
            identifier = f"{LETTER[target]}{numbers[target]}"
            item = draw(objects(target, identifier, earlier))
            note(earlier, target, item)
            items.append(item)
        if items:
            found.append(draw(steps(target, items)))
    return found


@st.composite
def variations(draw, item, earlier):
    if "isFolder" in item and draw(often(False, True)):
        return {"parentId": draw(reference(ITEMS, earlier, "folder"))}
    return {"name": draw(often("West", "North", "Süd"))}


@st.composite
def changed_packages(draw, package, renamed):
    """Keep, change and remove objects of a package, and add new ones."""
    earlier, found = {}, []
    for step in package:
        target, items = step["dictionary"], []
        given_up = []
        for item in step["items"]:
            fates = ["change", "change", "vary", "vary", "vary", "drop"]
            usual = "vary" if item["$id"] in renamed else "keep"
            fate = draw(often(usual, *fates, times=6))
            if fate == "keep":
                items.append(item)
            elif fate == "vary":
                items.append(item | draw(variations(item, earlier)))
            elif fate == "change":
                items.append(draw(objects(target, item["$id"], earlier)))
                given_up.append(item["code"])
            if fate != "drop":
                note(earlier, target, items[-1])
        if draw(often(False, True, times=3)):
            item = draw(objects(target, f"{LETTER[target]}{90 + len(found)}", earlier))
            if given_up:
                item["code"] = given_up[0]
            note(earlier, target, item)
            items.append(item)
        found.append(draw(steps(target, items)))
    return found


@st.composite
def stories(draw):
    first = draw(first_packages())
    named = [(s["dictionary"], i["$id"]) for s in first for i in s["items"]]
    hand = st.tuples(
        st.sampled_from([*named, (UNITS, "b"), (ITEMS, "b"), (CURRENCIES, "b")]),
        st.sampled_from(NAMES),
        st.booleans(),
    )
    deed = st.tuples(
        st.sampled_from(DEEDS),
        st.sampled_from([*named, (ITEMS, "a")]),
        st.sampled_from(["A", "B", "I1", "I2", "I3"]),
    )
    user_rows = draw(st.lists(hand, max_size=6, unique_by=lambda made: made[0]))
    deeds = draw(st.lists(deed, min_size=3, max_size=10))
    said = ("rename", "agree")
    renamed = {identifier for deed, (_, identifier), _ in deeds if deed in said}
    return Story(user_rows, first, deeds, draw(changed_packages(first, renamed)))
