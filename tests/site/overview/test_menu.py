"""The menu beside all pages: who finds what in which work area, and where one is."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from platform_site import navigation
from platform_site.accounts.models import User
from platform_site.settings.apps import added_labels
from tests.catalogs.rows import a_clerk, an_item

pytestmark = pytest.mark.django_db
AREAS = [
    "Sales",
    "Purchasing",
    "Stock",
    "Money",
    "Catalogs",
    "Import",
    "Automation",
    "Administration",
]


@pytest.fixture
def boss(client):
    client.force_login(User.objects.get(username="admin"))
    return client


def menu(client, path="/admin/notifications/"):
    """Return the titles of the pages by those of the areas."""
    shown = client.get(path).context["menu"]
    return {str(area.title): [str(page.title) for page in area.pages] for area in shown}


def current(client, path):
    """Return the texts of the links that are marked as the current page."""
    html = client.get(path).content.decode()
    nav = html[html.index('<nav id="nav-sidebar"') : html.index("</nav>")]
    return re.findall(r'aria-current="page">(?:<svg.*?</svg>)?([^<]+)<', nav)


def test_the_areas_follow_the_working_day(boss):
    shown = menu(boss)
    own = [str(apps.get_app_config(label).verbose_name) for label in added_labels()]
    assert [name for name in shown if name not in own] == AREAS
    assert shown["Sales"] == ["Sales orders", "Goods issues"]
    assert shown["Import"] == ["Packages and history", "Import a table"]


def test_every_list_of_the_administration_has_a_place(boss):
    shown = boss.get("/admin/").context["menu"]
    addresses = {page.url for area in shown for page in area.pages}
    listed = {
        model["admin_url"]
        for app in boss.get("/admin/").context["available_apps"]
        for model in app["models"]
    }
    # These lead to pages of other addresses.
    led = {"/admin/importer/importrun/", "/admin/processing/processor/"}
    assert listed - led <= addresses
    assert {"/admin/import", "/admin/processors"} <= addresses


def test_a_clerk_sees_only_what_the_rights_open(client):
    client.force_login(a_clerk("view_warehouse", "view_item"))
    assert menu(client) == {"Catalogs": ["Items", "Warehouses"]}


def test_somebody_without_rights_still_has_the_way_home(client):
    client.force_login(a_clerk())
    assert menu(client) == {}
    assert client.get("/admin/notifications/").status_code == 200


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/admin/", "Overview"),
        ("/admin/catalogs/item/", "Items"),
        ("/admin/catalogs/item/add/", "Items"),
        ("/admin/import", "Packages and history"),
        ("/admin/import/table", "Import a table"),
        ("/admin/processors/RecalculateCosts", "Data processors"),
    ],
)
def test_the_menu_says_where_one_is(boss, path, title):
    assert current(boss, path) == [title]


def test_an_app_without_entries_has_an_area_after_the_catalogs(boss, monkeypatch):
    left = [e for e in navigation.registered() if not e.model.startswith("changes.")]
    monkeypatch.setattr(navigation, "_entries", left)
    shown = list(menu(boss))
    assert shown.index("Change history") > shown.index("Catalogs")
    assert shown.index("Change history") < shown.index("Import")
    assert menu(boss)["Change history"] == ["Changes"]


def test_pages_of_ones_own_are_listed_for_those_who_may_see_them(boss, monkeypatch):
    def seen_by(user):
        return user.username != "admin"

    entry = {"area": navigation.Area.SALES, "url_name": "notifications", "order": 1}
    mine = navigation.MenuEntry(**entry, title="For me")
    others = navigation.MenuEntry(**entry, title="For others", seen_by=seen_by)
    absent = navigation.MenuEntry(navigation.Area.SALES, "", "no-such-page", "Absent")
    kept = [*navigation.registered(), mine, others, absent]
    monkeypatch.setattr(navigation, "_entries", kept)
    assert menu(boss)["Sales"] == ["For me", "Sales orders", "Goods issues"]


def test_the_page_of_an_app_leads_to_its_lists(boss):
    answer = boss.get("/admin/catalogs/")
    assert answer.context["title"] == "Catalogs"
    assert '<a href="/admin/catalogs/item/">Items</a>' in answer.content.decode()


def test_the_wizard_has_no_menu(boss):
    assert 'id="nav-sidebar"' not in boss.get("/admin/welcome").content.decode()


# -- what it costs ---------------------------------------------------------------------


def asked(client, path):
    with CaptureQueriesContext(connection) as made:
        assert client.get(path).status_code == 200
    return [query["sql"] for query in made]


@pytest.mark.counts
def test_the_shell_asks_for_the_session_the_rights_and_the_bell(client):
    an_item()
    client.force_login(a_clerk("view_item"))
    queries = asked(client, "/admin/catalogs/")
    assert len(queries) <= 6
