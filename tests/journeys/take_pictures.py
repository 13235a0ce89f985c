"""`make pictures`: take the pictures of the documentation anew, on the first day of an
installation. The name keeps it out of the tests; pytest runs it when it is asked for."""

from __future__ import annotations

import re
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.builders import a_package, code, ref
from tests.importer.tables.lists import GERMAN
from tests.journeys.browser import Person, chromium
from tests.journeys.installation import LIMIT_SECONDS, SqliteInstallation

IMAGES = APPLICATION_FOLDER / "docs" / "images"
LARGEST_BYTES = 150_000
SCREEN, TALL = {"width": 1180, "height": 760}, {"width": 1180, "height": 1080}
PHONE = {"width": 390, "height": 760}
PASSWORD = "a long pass phrase"
UPLOAD = "form[data-upload]"
GARDEN = [
    ("50010", "Hand trowel, ash handle", "9.90"),
    ("50020", "Hand fork, ash handle", "9.90"),
    ("50030", "Pruning shears", "18.50"),
    ("50040", "Watering can, zinc, 5 l", "34.00"),
    ("50050", "Garden twine, 100 m", "4.20"),
    ("50060", "Flower pot, clay, 12 cm", "2.10"),
    ("50070", "Flower pot, clay, 18 cm", "3.80"),
    ("50080", "Plant labels, 20 pieces", "2.90"),
]
LONG_LIST = 20_000


def price_list(goods, version=1, package="garden-range", folder="Garden"):
    """Build the price list of a supplier: a folder with goods."""
    built = a_package(package, version=version).with_step("Items")
    built.folder("folder", folder.upper(), name=folder)
    for number, name, price in goods:
        rest = {"name": name, "price": price, "parentId": ref("folder")}
        built.goods(f"item:{number}", number, code("pcs"), **rest)
    return built


def next_year():
    """Build the list again, with other prices, a new item and another name."""
    changed = {"50030": "19.90", "50040": "36.50", "50060": "2.30"}
    goods = [(number, name, changed.get(number, p)) for number, name, p in GARDEN]
    goods[0] = ("50010", "Hand trowel, stainless", "9.90")
    return price_list([*goods, ("50090", "Seed tray, 24 cells", "5.40")], version=2)


def with_errors():
    """Build a list as somebody hands it in for the first time."""
    built = price_list(GARDEN)
    items = built.steps[0]["items"]
    items[2]["price"] = "eighteen"
    items[4]["unitOfMeasureId"] = code("pieces")
    del items[6]["name"]
    return built


class Photographer(Person):
    """Plays the administrator, and takes a picture now and then."""

    zone = "Europe/Berlin"

    def takes(self, name, at=SCREEN, top="#container"):
        """Write what the window shows into the pictures of the documentation."""
        self.page.set_viewport_size(at)
        self.page.locator(top).first.scroll_into_view_if_needed()
        # Where the pointer rests something may look chosen.
        self.page.mouse.move(0, 0)
        file = IMAGES / f"{name}.png"
        self.page.screenshot(path=file, animations="disabled", caret="hide")
        self.page.set_viewport_size(SCREEN)
        size = file.stat().st_size
        assert size < LARGEST_BYTES, f"{name} has {size} bytes"
        sys.stdout.write(f"{file.relative_to(APPLICATION_FOLDER)}  {size:,} bytes\n")

    def runs_dry(self, package):
        """Choose a package file and run it dry."""
        self.open()
        self.choose(package, "garden-range.json")
        self.press("Dry run", UPLOAD)

    def choose_table(self, content, name):
        """Choose a table, and look at how it is read."""
        file = {"name": name, "mimeType": "text/csv", "buffer": content}
        self.page.set_input_files("#table-file", file)
        self.press("Show the table", UPLOAD)

    def imports(self):
        """Import what was just run dry."""
        self.page.get_by_role("button", name=re.compile("^Import these")).click()


@contextmanager
def first_day():
    """Serve a new installation, with a browser that takes pictures."""
    with tempfile.TemporaryDirectory() as folder:
        one = SqliteInstallation(
            Path(folder) / "data", Platform__Seed__AdminPassword=""
        )
        with one.serving(), chromium() as browser:
            yield Photographer(browser, one.url, first="/")


def welcome(admin):
    """Go through the wizard to the demo company."""
    admin.press("Accept and continue")
    admin.page.fill("#id_new_password1", PASSWORD)
    admin.page.fill("#id_new_password2", PASSWORD)
    admin.press("Change the password and continue")
    admin.sees("What do you want to begin with?")
    admin.takes("wizard")
    admin.press("Load the demo company")
    admin.page.wait_for_url("**/ready", timeout=LIMIT_SECONDS * 1000)


def first_price_list(admin):
    """Import a list; somebody then changes one of its items by hand."""
    admin.runs_dry(with_errors())
    admin.sees("Errors (3)")
    admin.takes("import-errors", at=PHONE)
    admin.runs_dry(price_list(GARDEN))
    admin.imports()
    admin.sees("Inserted 9")
    admin.open("/admin/catalogs/item/?q=50030")
    admin.page.locator("#result_list tbody th a").first.click()
    admin.page.get_by_role("link", name="Edit", exact=True).click()
    admin.page.fill("#id_price", "21.00")
    admin.page.locator("[name=_save]").click()
    admin.sees("successfully")


def second_price_list(admin):
    """Import the list of the next year, and look at what became of an item."""
    admin.runs_dry(next_year())
    admin.sees("nothing has been written")
    admin.takes("import-report")
    admin.imports()
    admin.sees("Kept (changed by a user)")
    admin.takes("import-done")
    report = admin.page.url
    admin.page.get_by_role("link", name="Show the kept rows").click()
    admin.page.locator("#import-entries tbody [type=checkbox]").check()
    admin.takes("kept-rows", top="#import-entries")
    admin.page.goto(report)
    admin.press("Undo this run")
    admin.sees("Undo now")
    admin.takes("undo")
    admin.open("/admin/catalogs/item/?q=50010")
    admin.page.locator("#result_list tbody th a").first.click()
    admin.page.get_by_role("link", name="Source").click()
    admin.takes("record")


def table(admin):
    """Look at a price list in German as a table."""
    admin.open("/admin/import/table")
    admin.choose_table(GERMAN, "preise.csv")
    admin.sees("Which column is what")
    admin.takes("import-table", at={**TALL, "height": 900})


def long_list(admin):
    """Import a long list, and look at the page meanwhile."""
    numbers = (f"{number:06}" for number in range(LONG_LIST))
    goods = [(f"W{number}", f"Article {number}", "1.00") for number in numbers]
    admin.runs_dry(price_list(goods, package="wholesale-catalogue", folder="Wholesale"))
    admin.sees("nothing has been written")
    admin.imports()
    admin.sees("You can leave this page")
    admin.open()
    admin.sees(re.compile(r"[1-9]\d,\d{3} of 20,001"), "#import-running")
    admin.takes("import-page")
    admin.press("Cancel")
    admin.sees("Interrupted")


def documents(admin):
    """Look at a document with its lines."""
    admin.open("/admin/documents/goodsissue/")
    admin.page.locator("#result_list tbody th a").nth(5).click()
    expect(admin.page.locator("#content h1, #content h2").first).to_be_visible()
    admin.takes("document", at=TALL)


def test_take_the_pictures():
    with first_day() as admin:
        admin.page.set_viewport_size(SCREEN)
        welcome(admin)
        first_price_list(admin)
        second_price_list(admin)
        documents(admin)
        admin.open("/admin/")
        admin.takes("start-page")
        table(admin)
        long_list(admin)
