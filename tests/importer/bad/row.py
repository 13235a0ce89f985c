"""The description of one invalid package, and valid objects around the invalid one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tests.builders import a_package, ref

PACKAGE_ID = "corpus.bad"
BAD = "steps[1].items[0]"


class Found(Enum):
    """The stage at which an error is found; each is a diagnostic (OPEN-35, OPEN-41)."""

    IN_PACKAGE = "before any write, whatever the options say"
    IN_ITEM = "before any write; with ContinueOnError only the object is out"
    IN_LOOK_UP = "object by object, by a look-up"
    BY_SERVICES = "object by object, by the services"

    @property
    def before_any_write(self):
        return self in (Found.IN_PACKAGE, Found.IN_ITEM)


@dataclass(frozen=True)
class Bad:
    """An invalid package: its contents, the places of its errors, and their
    dependants."""

    name: str
    content: bytes
    paths: tuple[str, ...]
    found: Found
    bad: tuple[str, ...] = ()
    dependants: tuple[str, ...] = ()
    says: str = ""


def around(*steps):
    """Return the steps with a valid step before and after them."""
    package = a_package(PACKAGE_ID).with_step("Warehouses")
    package.item("before", code="before", name="Before")
    package.steps.extend(steps)
    return package.with_step("Warehouses").item("after", code="after", name="After")


def in_package(name, content, *paths, says=""):
    """Return the description of a package that is refused as a whole."""
    raw = content if isinstance(content, bytes) else content.as_bytes()
    return Bad(name, raw, paths, Found.IN_PACKAGE, says=says)


def bad_step(name, step, *places, says=""):
    """Return the description of a package whose step 1 is refused; places are
    relative."""
    paths = [f"steps[1].{place}" if place else "steps[1]" for place in places]
    return in_package(name, around(step), *paths, says=says)


def bad_item(name, found, catalog, item, *places, **more):
    """Return the description of a package with one invalid object; places are relative.

    ``siblings`` come before it in its step, ``keys`` are keys of the step, and
    ``depend`` is false if the object already has a row or has no usable id.
    """
    siblings = more.get("siblings", [])
    kind = {"dictionary": catalog} if catalog else {}
    step = {**kind, **more.get("keys", {}), "items": [*siblings, item]}
    path = f"steps[1].items[{len(siblings)}]"
    identifier = item.get("$id")
    usable = isinstance(identifier, str) and 0 < len(identifier) <= 200
    usable = usable and not identifier.startswith("$")
    depend = more.get("depend", True) and usable and catalog in _DEPENDANTS
    steps = [step, _dependant(catalog, identifier)] if depend else [step]
    return Bad(
        name=name,
        content=around(*steps).as_bytes(),
        paths=tuple(f"{path}.{place}" if place else path for place in places),
        found=found,
        bad=(identifier[:200] if isinstance(identifier, str) else "",),
        dependants=(f"steps[2].items[0].{_DEPENDANTS[catalog][1]}",) if depend else (),
        says=more.get("says", ""),
    )


_DEPENDANTS = {
    "UnitsOfMeasure": ("Items", "unitOfMeasureId"),
    "Items": ("Items", "parentId"),
    "Currencies": ("BankAccounts", "currencyId"),
}


def _dependant(catalog, identifier):
    target, name = _DEPENDANTS[catalog]
    item = {"$id": "dependant", "code": "dependant", "name": "Dependant"}
    if target == "Items":
        folder = catalog == "Items"
        item["isFolder"] = folder
        if not folder:
            item["category"] = "goods"
    return {"dictionary": target, "items": [{**item, name: ref(identifier)}]}


# Good objects, to be spoilt in one place.


def unit(**properties):
    """Return a valid unit with the given changes."""
    return {"$id": "bad", "code": "bad", "name": "Bad", **properties}


def folder(**properties):
    """Return a valid folder of items with the given changes."""
    return unit(**{"isFolder": True, **properties})


def goods(**properties):
    """Return a valid item with the given changes; its unit exists."""
    plain = {
        "isFolder": False,
        "category": "goods",
        "unitOfMeasureId": {"$code": "pcs"},
    }
    return unit(**{**plain, **properties})


def without(item, *names):
    """Return an object without some of its properties."""
    return {name: value for name, value in item.items() if name not in names}
