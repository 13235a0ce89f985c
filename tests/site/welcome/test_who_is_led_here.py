"""Whom the start page leads to the wizard, and that nothing else has to do with it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from platform_site.accounts.models import User
from platform_site.accounts.services import create_user, set_password
from platform_site.site.welcome import steps
from platform_site.site.welcome.models import Welcome
from tests.site.welcome.conftest import NEW, WIZARD, Newcomer

pytestmark = pytest.mark.django_db
AGREEMENT = f"{WIZARD}agreement"
PATHS = [
    "",
    "agreement",
    "password",
    "company",
    "company/progress",
    "ready",
]


@pytest.mark.parametrize("path", ["/", "/admin/"])
def test_the_start_page_leads_the_first_administrator_here(newcomer, path):
    assert newcomer.opens(path) == AGREEMENT


@pytest.mark.parametrize(
    "path",
    [
        "/admin/import",
        "/admin/catalogs/item/",
        "/admin/catalogs/",
        "/admin/password_change/",
        "/admin/processors",
        "/admin/demo/demoinstallation/",
        "/api/v1/About",
        "/api/v1/Items",
        "/health/ready",
    ],
)
def test_no_other_page_leads_here(newcomer, path):
    assert newcomer.client.get(path).status_code == 200


@pytest.mark.parametrize(
    ("name", "given"),
    [("PLATFORM_DEMO_SEED", True), ("PLATFORM_SEED_ADMIN_PASSWORD", "Admin123!")],
)
def test_settings_that_decide_leave_nothing_to_ask(newcomer, settings, name, given):
    setattr(settings, name, given)
    for path in ["/admin/", WIZARD, AGREEMENT]:
        assert newcomer.opens(path) == "/admin/"
    assert newcomer.sends("agreement") == "/admin/"


def test_who_has_changed_the_password_elsewhere_is_not_led_here(newcomer):
    set_password(user=User.objects.get(username="admin"), password=NEW)
    one = Newcomer(password=NEW)
    assert one.opens("/admin/") == "/admin/"
    assert one.opens(AGREEMENT) == "/admin/"


def test_others_are_not_led_here_but_administrators_may_come(newcomer, second):
    other = second()
    assert other.opens("/admin/") == "/admin/"
    assert other.opens(WIZARD) == AGREEMENT


@pytest.mark.parametrize("path", PATHS)
def test_a_visitor_is_sent_to_the_login(path):
    answer = Client().get(WIZARD + path)
    assert answer["Location"] == f"/admin/login/?next={WIZARD}{path}"
    part = Client().get(WIZARD + path, headers={"HX-Request": "true"})
    assert part["HX-Refresh"] == "true"


@pytest.mark.parametrize("path", [*PATHS, "later"])
@pytest.mark.parametrize("role", ["employee", "user"])
def test_who_is_no_administrator_is_refused(path, role):
    create_user(user_name="clerk", password=NEW, roles=[role])
    clerk = Newcomer("clerk", NEW).client
    method = clerk.post if path == "later" else clerk.get
    assert method(WIZARD + path).status_code == 403


@pytest.mark.parametrize("step", ["agreement", "password", "company", "later"])
def test_a_visitor_decides_nothing(step):
    answer = Client().post(WIZARD + step, {"company": "empty"})
    assert answer["Location"].startswith("/admin/login/")
    assert not Welcome.objects.exists()


def questions(client, path="/admin/"):
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get(path).status_code == 200
    return [one["sql"] for one in asked if "welcome" in one["sql"]]


def test_once_it_is_over_the_start_page_asks_once_and_only_for_that_account(
    at_company, second
):
    at_company.chooses("empty")
    assert len(questions(at_company.client)) == 1
    assert questions(at_company.client, "/admin/catalogs/item/") == []
    assert questions(second().client) == []
    create_user(user_name="clerk", password=NEW, roles=["employee"])
    assert questions(Newcomer("clerk", NEW).client) == []


def test_an_installation_that_a_start_loaded_the_demo_into_is_not_new(
    newcomer, monkeypatch
):
    monkeypatch.setattr(steps, "get_installation", object)
    for path in ["/admin/", WIZARD, AGREEMENT]:
        assert newcomer.opens(path) == "/admin/"
