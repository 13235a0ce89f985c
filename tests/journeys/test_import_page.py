"""The import page in a browser: from a package with errors to rows, and back again."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.builders import units
from tests.journeys.browser import Person
from tests.journeys.installation import wait_until

pytestmark = pytest.mark.process
# For longer than another person needs to come and see it.
MANY = 60_000
UPLOAD = "form[data-upload]"
ENTRIES = "#import-entries"


@pytest.fixture(scope="module")
def url(served):
    """Add a second administrator."""
    name, password = "second", "a long pass phrase"
    served.installation.env["DJANGO_SUPERUSER_PASSWORD"] = password
    second = ["--noinput", "--username", name, "--email", f"{name}@example.com"]
    assert served.installation.command("createsuperuser", *second).returncode == 0
    return served.url


@pytest.fixture
def second(browser, url):
    person = Person(browser, url, "second", "a long pass phrase")
    yield person
    person.context.close()


def import_button(person):
    return person.page.locator(f"{UPLOAD} button[value=import]")


def many(package):
    return units(*(f"{package}{number}" for number in range(MANY)), package=package)


def test_from_errors_to_rows_and_back(admin):
    page = admin.page
    wrong = units("a", "b", "c", package="story")
    del wrong.steps[0]["items"][0]["name"]
    wrong.steps[0]["items"][1]["colour"] = "red"
    admin.sees("Asia/Tokyo", UPLOAD)
    admin.choose(wrong, "story.json")
    expect(import_button(admin)).to_be_disabled()
    admin.press("Dry run", UPLOAD)
    admin.sees("Errors (2)")
    admin.sees("steps[0].items[1].colour")
    expect(page.get_by_role("button", name="Import")).to_have_count(0)
    admin.open()
    admin.sees("story.json", UPLOAD)
    expect(import_button(admin)).to_be_disabled()

    right = units("a", "b", "c", package="story")
    admin.choose(right, "story.json")
    admin.press("Dry run", UPLOAD)
    admin.sees("nothing has been written")
    admin.press("Import these 3 changes")
    admin.sees("Inserted 3", ENTRIES)
    admin.sees("Completed")
    page.get_by_role("link", name="Change events of this run").click()
    admin.sees(re.compile(r"Changes\s+3"), "h1")
    page.go_back()

    page.locator(ENTRIES).get_by_role("link", name="UnitsOfMeasure").first.click()
    admin.sees("story")
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.locator("#id_code")).to_have_value("a")
    page.fill("#id_name", "changed by hand")
    page.locator("[name=_save]").click()
    admin.sees("successfully")

    right.steps[0]["items"][0]["name"] = "from the package"
    right.steps[0]["items"][1]["name"] = "another name"
    admin.open()
    admin.choose(right, "story.json")
    expect(import_button(admin)).to_be_disabled()
    admin.press("Dry run", UPLOAD)
    admin.sees("Kept (changed by a user)", ENTRIES)
    admin.sees("another name", ENTRIES)
    admin.open()
    expect(import_button(admin)).to_be_enabled()
    import_button(admin).click()
    admin.sees("kept: a user changed the row after the import", ENTRIES)
    page.locator("#chip-Updated").click()
    expect(page.locator(f"{ENTRIES} tbody tr")).to_have_count(1)
    admin.sees("another name", ENTRIES)


def test_chips_pages_and_search_work_by_keyboard_too(admin):
    page = admin.page
    admin.choose(units(*(f"k{n}" for n in range(120)), package="keys"))
    page.locator(f"{UPLOAD} button[value=dry-run]").focus()
    page.keyboard.press("Enter")
    rows = page.locator(f"{ENTRIES} tbody tr")
    expect(rows).to_have_count(50)
    next_page = page.locator("#pager-next")
    # The rows are there before the script that turns pages in place; without it a
    # link leads to the next page all the same, but leaves the focus behind.
    wait_until(lambda: next_page.evaluate("link => 'htmx-internal-data' in link"))
    next_page.focus()
    page.keyboard.press("Enter")
    admin.sees("page 2 of 3", ENTRIES)
    expect(page.locator("#pager-next")).to_be_focused()
    assert "page=2" in page.url
    page.locator("#entries-search").press_sequentially("k11")
    expect(rows).to_have_count(11)
    expect(page.locator("#entries-search")).to_be_focused()
    page.locator("#chip-Inserted").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("outcome=Inserted"))
    expect(rows).to_have_count(11)
    page.go_back()
    expect(page).not_to_have_url(re.compile("outcome=Inserted"))
    expect(rows).to_have_count(11)


def test_a_package_is_imported_by_keyboard_alone(admin, tmp_path):
    page, keys = admin.page, admin.page.keyboard
    file = units("t1", "t2", package="typed").as_file(tmp_path / "typed.json")
    admin.sees("Import a file")
    admin.tab_to(".skip-to-content-link")
    keys.press("Enter")
    admin.tab_to("#package-file")
    # From here to the file it is the browser's own dialog, which no test sees.
    page.set_input_files(":focus", file)
    admin.sees("typed.json", UPLOAD)
    admin.tab_to(f"{UPLOAD} [name=continue_on_error]")
    keys.press("Space")
    admin.tab_to(f"{UPLOAD} button[value=dry-run]")
    keys.press("Enter")
    admin.sees("nothing has been written")
    admin.tab_to("button[value=import]")
    keys.press("Enter")
    admin.sees("Inserted 2", ENTRIES)
    admin.sees("Completed")
    admin.tab_to(".imp-skip")
    keys.press("Enter")
    admin.tab_to("#chip-Inserted")
    keys.press("Enter")
    expect(page).to_have_url(re.compile("outcome=Inserted"))
    expect(page.locator("#chip-Inserted")).to_be_focused()


def test_a_long_run_is_seen_by_everybody_and_cancelled(admin, second):
    admin.choose(many("long"))
    admin.press("Dry run", UPLOAD)
    admin.sees(f"Inserted {MANY:,}", ENTRIES)
    admin.press(f"Import these {MANY:,} changes")
    admin.sees("You can leave this page")
    second.sees("Import of long by admin")
    second.page.reload()
    second.sees("Import of long by admin")
    second.sees("Inserted", "#import-running")
    second.press("Cancel")
    second.sees("Interrupted")
    second.sees("The run was stopped before it finished.")
    admin.sees("Interrupted")
    admin.open("/admin/import?status=Interrupted&package=long")
    expect(admin.page.locator("#history tbody tr")).to_have_count(1)
