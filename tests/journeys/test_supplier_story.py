"""The story of a supplier's price list in a browser: versions come and go, a clerk edits
rows in between, and an administrator decides."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.builders import a_package

pytestmark = pytest.mark.process
UPLOAD = "form[data-upload]"
ENTRIES = "#import-entries"


def price_list(version, prices, *, name="supplier", items=None, **header):
    """Return a version of the list; ``items`` are further keys of its step."""
    package = a_package(name, version=version, **header)
    package.with_step("UnitsOfMeasure").unit("unit:pcs", "pcs")
    package.with_step("Items", onUserModified="merge", **(items or {}))
    for each, price in prices.items():
        unit = {"$ref": "unit:pcs"}
        package.goods(f"item:{each}", each, unit, name=f"Item {each}", price=price)
    return package


def bring_in(admin, package, button):
    """Run a package dry, look at it, and import it by the button of its report."""
    admin.open()
    admin.choose(package, "list.json")
    admin.press("Dry run", UPLOAD)
    admin.sees("nothing has been written")
    admin.press(button)
    admin.sees("Completed")


def edit(admin, item, **values):
    """Edit an item as a clerk does."""
    page = admin.page
    admin.open(f"/admin/catalogs/item/?q={item}")
    page.get_by_role("link", name=item, exact=True).first.click()
    page.get_by_role("link", name="Edit", exact=True).click()
    for field, value in values.items():
        page.fill(f"#id_{field}", value)
    page.locator("[name=_save]").click()
    admin.sees("successfully")


def decide(admin, name, button):
    """Decide about one kept row on the report that is open."""
    admin.page.get_by_role("checkbox", name=f"item:{name}").check()
    admin.press(button, ENTRIES)


def price_of(admin, name):
    """Return the price of an item as its form shows it."""
    page = admin.page
    admin.open(f"/admin/catalogs/item/?q={name}")
    page.get_by_role("link", name=name, exact=True).first.click()
    page.get_by_role("link", name="Edit", exact=True).click()
    return float(page.locator("#id_price").input_value())


def test_a_price_list_over_its_versions(admin):
    page = admin.page
    first = dict.fromkeys(("AX", "BX", "CX", "DX", "EX", "FX"), "1")
    bring_in(admin, price_list(1, first), "Import these 7 changes")
    edit(admin, "AX", name="Renamed by hand")
    edit(admin, "BX", price="7")
    edit(admin, "CX", price="8")

    # One is merged, one is taken, and one is kept.
    second = {**first, "AX": "2", "BX": "2", "CX": "2"}
    bring_in(admin, price_list(2, second), "Import this change")
    admin.sees("Kept rows (2)")
    report = page.url
    page.get_by_role("link", name="Show the kept rows").click()
    expect(page.locator(f"{ENTRIES} tbody tr")).to_have_count(2)
    decide(admin, "BX", "Take the values of the package")
    admin.sees("1 row was changed")
    admin.sees("item:BX", ENTRIES)
    admin.open(report.removeprefix(admin.url))
    decide(admin, "CX", "Leave as they are")
    admin.sees("1 row stays as it is.")
    expect(page.get_by_role("checkbox", name="item:CX")).to_have_count(0)
    assert [price_of(admin, name) for name in ("AX", "BX", "CX")] == [2, 2, 8]
    bring_in(admin, price_list(2, second), "Import (nothing changes)")
    admin.sees("All 7 rows are unchanged")

    # A wrong version comes in, and is undone.
    wrong = dict.fromkeys(second, "100")
    bring_in(admin, price_list(9, wrong), "Import these 5 changes")
    admin.press("Undo this run")
    admin.press("Undo now and revert these 5 rows")
    admin.sees("Reverted 5", ENTRIES)
    assert [price_of(admin, name) for name in ("AX", "CX", "DX")] == [2, 8, 1]

    # Two items are gone: first they are reported, then deleted.
    third = {name: second[name] for name in ("AX", "BX", "CX", "DX")}
    reported = price_list(3, third, items={"onMissing": "report"})
    bring_in(admin, reported, "Import (nothing changes)")
    admin.sees("2 are missing")
    gone = {"onMissing": "delete", "maxDelete": 2}
    bring_in(admin, price_list(4, third, items=gone), "Import these 2 changes")
    admin.sees("Deleted 2", ENTRIES)
    admin.sees("2 were deleted")

    # The package gets another name and keeps its rows.
    other = price_list(1, third, name="wholesaler", renamedFrom=["supplier"])
    bring_in(admin, other, "Import (nothing changes)")
    admin.sees("All 5 rows are unchanged")
    assert admin.complaints == []
