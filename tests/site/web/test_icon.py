"""The sign of the site in the tab of a browser: every shell names it, none misses it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.catalogs.rows import boss

pytestmark = pytest.mark.django_db
LINK = re.compile(r'<link rel="icon" href="([^"]+)"')
SHELLS = {
    "sign-in": "/admin/login/",
    "start page": "/admin/",
    "a list": "/admin/catalogs/item/",
    "a form": "/admin/catalogs/item/add/",
    "import": "/admin/import",
    "processor": "/admin/processors/ImportItemsFromCsv",
    "wizard": "/admin/welcome/ready",
    "API": "/swagger",
    "nothing": "/admin/nothing-here/",
    "outside": "/nothing-here",
}


@pytest.fixture
def browser():
    browser = Client(raise_request_exception=False)
    browser.force_login(boss())
    return browser


@pytest.mark.parametrize("address", SHELLS.values(), ids=SHELLS)
def test_every_shell_has_the_icon_and_a_fallback(browser, address):
    if address == "/admin/login/":
        browser.logout()
    page = browser.get(address, follow=True).content.decode()
    icons = LINK.findall(page)
    assert [icon.rpartition(".")[2] for icon in icons] == ["ico", "svg"], address
    kinds = [browser.get(icon).headers["Content-Type"] for icon in icons]
    assert kinds == ["image/x-icon", "image/svg+xml"]


def test_a_form_that_is_refused_has_it_too():
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post("/admin/login/", {"username": "x", "password": "y"})
    assert answer.status_code == 403
    assert LINK.search(answer.content.decode())


def test_a_browser_that_asks_at_the_root_is_led_to_it():
    answer = Client().get("/favicon.ico", follow=True)
    assert (answer.status_code, answer.redirect_chain[0][1]) == (200, 302)
    assert answer.headers["Content-Type"] == "image/x-icon"
