"""What axe-core finds on our pages, light and dark, wide and narrow: nothing serious. The
same pages are opened under the content policy, which they keep."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.builders import units
from tests.journeys.browser import Person
from tests.journeys.installation import SqliteInstallation
from tests.site.host.processes import free_port

pytestmark = pytest.mark.process
SERIOUS = {"serious", "critical"}
# The rules want to load style sheets into the page, which the policy forbids.
AXE = {"bypass_csp": True}
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 800}
LIGHT = {"color_scheme": "light", "viewport": WIDE}
DARK = {"color_scheme": "dark", "viewport": NARROW}


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """Return a served installation of the demo company."""
    data = tmp_path_factory.mktemp("seen") / "data"
    with served(SqliteInstallation(data, Demo__Seed="true")) as installation:
        yield installation


@pytest.fixture(scope="module")
def pages(installation, browser):
    """Return the addresses of our pages; one of them is a report with errors."""

    def one(query):
        return installation.rows(query)[0][0]

    person = Person(browser, installation.url)
    wrong = units("a", "b", package="wrong")
    wrong.steps[0]["items"][0]["colour"] = "red"
    person.choose(wrong)
    person.press("Dry run", "form[data-upload]")
    person.sees("Errors (1)")
    report = person.page.url.removeprefix(installation.url)
    person.context.close()
    run = one("SELECT run_id FROM importer_importrun")
    item = one("SELECT min(id) FROM catalogs_item WHERE NOT is_folder")
    folder = one("SELECT min(id) FROM catalogs_item WHERE is_folder")
    order = one("SELECT min(id) FROM documents_salesorder")
    issue = one("SELECT min(id) FROM documents_goodsissue WHERE is_active")
    event = one("SELECT min(id) FROM changes_changeevent")
    return [
        "/admin/",
        "/admin/import",
        report,
        f"/admin/import?run={run}",
        "/admin/catalogs/item/",
        f"/admin/catalogs/item/?folder={folder}",
        f"/admin/catalogs/item/{item}/change/",
        f"/admin/catalogs/item/{item}/history/",
        f"/admin/catalogs/item/{item}/delete/",
        "/admin/catalogs/item/add/",
        "/admin/documents/salesorder/",
        f"/admin/documents/salesorder/{order}/change/",
        f"/admin/documents/goodsissue/{issue}/change/",
        "/admin/documents/stockbalance/",
        "/admin/documents/ledgerentry/",
        "/admin/changes/changeevent/",
        f"/admin/changes/changeevent/{event}/change/",
        "/admin/processors",
        "/admin/processors/ImportItemsFromCsv",
        "/admin/scheduling/job/",
        "/admin/scheduling/job/add/",
        "/admin/scheduling/jobexecution/",
        "/admin/demo/demoinstallation/",
        "/admin/accounts/user/",
        "/admin/accounts/user/add/",
        "/admin/accounts/user/1/change/",
        "/admin/accounts/user/1/history/",
        "/admin/accounts/role/",
        "/admin/accounts/role/add/",
        "/admin/accounts/role/1/change/",
        "/admin/catalogs/constant/?q=nothing-there",
        "/admin/accounts/apikey/add/",
        "/admin/password_change/",
        "/admin/no-such-page/",
    ]


@contextmanager
def served(installation):
    """Serve an installation while the block lasts."""
    installation.url = f"http://127.0.0.1:{free_port()}"
    installation.env["ASPNETCORE_URLS"] = installation.url
    with installation.running("serve") as process:
        while not process.stdout.readline().startswith("Platform is served"):
            assert process.poll() is None, process.communicate()
        yield installation


def serious(page):
    """Return what hinders people on the page that is open."""
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url}: {each['id']}: {[node['html'][:120] for node in each['nodes']]}"
        for each in found
        if each["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light-wide", "dark-narrow"])
def test_no_page_hinders_anybody_seriously(look, installation, browser, pages):
    person = Person(browser, installation.url, **AXE, **look)
    found = []
    for path in pages:
        person.open(path)
        found += serious(person.page)
    person.context.clear_cookies()
    person.open("/admin/login/")
    expect(person.page.locator("#id_username")).to_be_visible()
    found += serious(person.page)
    person.context.close()
    assert found == []


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light-wide", "dark-narrow"])
def test_every_page_keeps_the_policy_and_its_width(look, installation, browser, pages):
    person = Person(browser, installation.url, **look)
    too_wide = []
    for path in pages:
        person.open(path)
        width = person.page.evaluate("document.documentElement.scrollWidth")
        if width > look["viewport"]["width"]:
            too_wide.append((path, width))
    person.context.close()
    assert person.complaints == []
    assert too_wide == []
