"""`make pictures`: take every page in three languages, light and dark, wide and narrow,
and put the pictures of each look on sheets, to look at. They are not committed."""

from __future__ import annotations

import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.journeys.browser import Person, chromium
from tests.journeys.every_page import every_page, short_name
from tests.journeys.installation import SqliteInstallation
from tests.journeys.test_accessibility import NARROW, WIDE

SHEETS = APPLICATION_FOLDER / "pictures"
LANGUAGES = ("en", "de", "ru")
# How wide a page is on a sheet, and how many there are, so that its words can be read.
SHOWN = {1280: (630, 9), 390: (310, 18)}
_SHEET = """<!doctype html><meta charset="utf-8"><style>
body {{ background: #888; font: 12px sans-serif; margin: 8px }}
figure {{ display: inline-block; margin: 4px; vertical-align: top; width: {width}px }}
img {{ width: 100% }}
</style>{figures}"""


@contextmanager
def demo_company():
    """Serve the demo company, and open a browser."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        company = SqliteInstallation(Path(folder) / "data", Demo__Seed="true")
        with company.serving():
            yield company, browser


def take(installation, browser, pages, language, theme, size):
    """Take all pages with one look, and put them on a sheet."""
    look = f"{language}-{theme}-{size['width']}"
    folder = SHEETS / look
    folder.mkdir(parents=True, exist_ok=True)
    window = {"locale": language, "color_scheme": theme, "viewport": size}
    person = Person(browser, installation.url, **window)
    files = []
    for number, path in enumerate(pages):
        person.open(path)
        file = folder / f"{number:02}-{short_name(path)}.png"
        person.page.screenshot(path=file, animations="disabled", caret="hide")
        files.append(file)
    person.context.close()
    shown, most = SHOWN[size["width"]]
    for number, start in enumerate(range(0, len(files), most), 1):
        file = SHEETS / f"{look}-{number}.png"
        _sheet(browser, files[start : start + most], shown, file)
    sys.stdout.write(f"pictures/{look}-….png  {len(files)} pages\n")


def _sheet(browser, files, width, to):
    figures = "".join(
        f'<figure><img src="{file.parent.name}/{file.name}">{file.stem}</figure>'
        for file in files
    )
    index = to.with_suffix(".html")
    index.write_text(_SHEET.format(width=width, figures=figures), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1960, "height": 1200})
    page.goto(index.as_uri())
    page.screenshot(path=to, full_page=True)
    page.close()


def test_put_every_page_on_a_sheet():
    with demo_company() as (installation, browser):
        pages = every_page(installation, browser)
        for language in LANGUAGES:
            for theme in ("light", "dark"):
                for size in (WIDE, NARROW):
                    take(installation, browser, pages, language, theme, size)
