"""A clerk loads a price list in the browser: from the file to the report of the run."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.journeys.browser import Person

pytestmark = pytest.mark.process
PAGE = "/admin/processors/ImportItemsFromCsv"
RESULT = ".processor-result"
HEADER = "code;name;unit;parent\n"
CLERK, PASSWORD = "clerk", "a long pass phrase"
CREATE_CLERK = f"""
from django.contrib.auth.models import Permission
from platform_site.accounts.models import User
clerk = User.objects.create_user("{CLERK}", password="{PASSWORD}", is_staff=True)
right = Permission.objects.get(codename="ExecuteImportItemsFromCsv")
clerk.user_permissions.add(right)
"""


@pytest.fixture(scope="module")
def url(served):
    """Add somebody who may press the button, and nothing else."""
    done = served.installation.command("shell", "-c", CREATE_CLERK)
    assert done.returncode == 0, done.stderr
    return served.url


def execute(person, content, *, dry_run=False):
    """Choose a file, press the button, and return the page with what came of it."""
    person.open(PAGE)
    if content is not None:
        raw = content if isinstance(content, bytes) else content.encode()
        file = {"name": "items.csv", "mimeType": "text/csv", "buffer": raw}
        person.page.set_input_files("[type=file]", files=[file])
    person.page.get_by_label("Dry run").set_checked(dry_run)
    person.press("Execute")
    return person.page.locator("#content")


def numbers(page):
    """Return the numbers of the result that are not 0."""
    shown = page.locator(f"{RESULT} .processor-numbers > div")
    expect(shown.first).to_be_visible()
    pairs = (text.split("\n") for text in shown.all_inner_texts())
    return {pair[0].strip(): pair[-1].strip() for pair in pairs if pair[-1] != "0"}


@pytest.fixture
def units(admin):
    """Have the unit of measure that the file names."""
    admin.open("/admin/catalogs/unitofmeasure/add/")
    admin.page.fill("#id_code", "pcs")
    admin.page.fill("#id_name", "Pieces")
    admin.page.locator("[name=_save]").click()


def test_a_price_list_comes_in_and_comes_in_again(admin, units):
    listed = HEADER + "A1;Rice;pcs;\nA2;Tea, green;pcs;\n"
    runs = admin.page.locator("#history tbody tr", has_text="admin")
    assert numbers(execute(admin, listed, dry_run=True)) == {"Inserted": "2"}
    admin.open()
    expect(runs).to_have_count(0)

    assert numbers(execute(admin, listed)) == {"Inserted": "2"}
    assert numbers(execute(admin, listed)) == {"Unchanged": "2"}
    admin.open()
    expect(runs).to_have_count(2)
    expect(runs.first).to_contain_text("items-csv")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "No file chosen."),
        (HEADER + "x" * (5 * 1024 * 1024), "The file is too large."),
        ("code,name\n", "must be code;name;unit;parent, but it is code,name."),
        (HEADER.encode() + b"A1;\xff;pcs;\n", "The file isn't UTF-8 text"),
        (
            HEADER + "A1;a;pcs;\nA1;b;pcs;\n",
            "Line 3 has the same code as line 2: “A1”.",
        ),
    ],
    ids=["none", "too-large", "header", "not-utf-8", "doubled"],
)
def test_what_is_wrong_with_the_file_is_said(admin, content, sentence):
    expect(execute(admin, content)).to_contain_text(sentence)


def test_the_right_to_press_the_button_is_no_right_to_write(browser, url, units):
    clerk = Person(browser, url, CLERK, PASSWORD)
    page = execute(clerk, HEADER + "B1;Salt;pcs;\nB2;Oil;pcs;\n")
    assert numbers(page) == {"Failed": "2"}
    expect(page.locator(".processor-table tbody tr")).to_have_count(2)
    page.get_by_role("link", name="Report of the run").click()
    clerk.sees("Completed with errors")
    expect(clerk.page.get_by_role("button", name="Import")).to_have_count(0)
    assert clerk.complaints == []
    clerk.context.close()
