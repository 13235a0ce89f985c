"""The pages of errors: those who are signed in keep the menu, and everybody learns what
happened, how to go on and whom to ask."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import path

from platform_site.accounts.models import User
from platform_site.accounts.services import create_user
from platform_site.site.web.errors import (
    bad_request,
    page_not_found,
    permission_denied,
    server_error,
)
from platform_site.urls import urlpatterns as site_patterns
from tests.catalogs.rows import a_clerk, an_item

pytestmark = pytest.mark.django_db


def fail(_request):
    raise RuntimeError("hunter2")


urlpatterns = [path("broken", fail), *site_patterns]
handler400, handler403 = bad_request, permission_denied
handler404, handler500 = page_not_found, server_error


@pytest.fixture
def clerk(client):
    client.force_login(a_clerk("view_item"))
    return client


def texts(answer):
    return re.sub(r"\s+", " ", unescape(answer.content.decode()))


def has_menu(answer):
    return 'id="nav-sidebar"' in answer.content.decode()


@pytest.mark.parametrize(
    "address", ["/nothing", "/admin/nothing/", "/admin/no/such/1/"]
)
def test_an_unknown_address_keeps_the_menu_and_names_whom_to_ask(clerk, address):
    create_user(
        user_name="anna", password="a long pass phrase", first_name="Anna",
        last_name="Berg", roles=["admin"],
    )  # fmt: skip
    answer = clerk.get(address)
    assert answer.status_code == 404
    assert has_menu(answer)
    said = texts(answer)
    assert "Page not found" in said
    assert "ask an administrator: admin, Anna Berg." in said
    assert re.search(r"request's id is [0-9a-f]{32}", said)


def test_the_only_administrator_is_not_sent_to_himself(admin_client):
    User.objects.exclude(username="admin").delete()
    assert "ask an administrator" not in texts(admin_client.get("/admin/nothing/"))


@pytest.mark.parametrize("page", ["change/", "history/", "delete/"])
def test_a_row_that_does_not_exist_leads_to_its_list(client, page):
    client.force_login(User.objects.get(username="admin"))
    answer = client.get(f"/admin/catalogs/item/999999/{page}")
    assert answer.status_code == 404
    assert has_menu(answer)
    assert "Items: the row 999999 doesn't exist." in texts(answer)
    assert '<a href="/admin/catalogs/item/">Items</a>' in texts(answer)


def test_a_missing_right_is_explained_with_the_menu(clerk):
    answer = clerk.get(f"/admin/catalogs/item/{an_item().pk}/delete/")
    assert answer.status_code == 403
    assert has_menu(answer)
    assert "You don't have access" in texts(answer)
    assert "/admin/login/?next=%2Fadmin%2Fcatalogs%2Fitem%2F" in texts(answer)


def test_a_form_without_its_token_can_be_loaded_again():
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(a_clerk("view_item"))
    answer = strict.post("/admin/account/", {"first_name": "x"})
    assert answer.status_code == 403
    assert has_menu(answer)
    assert "The form was not accepted" in texts(answer)
    assert '<a href="/admin/account/">Load the page again</a>' in texts(answer)


@pytest.mark.parametrize("address", ["/nothing", "/nothing/at/all/"])
def test_without_a_sign_in_the_page_is_plain(client, address):
    answer = client.get(address)
    assert answer.status_code == 404
    assert not has_menu(answer)
    assert "Page not found" in texts(answer)
    assert "ask an administrator:" not in texts(answer)


@pytest.mark.urls(__name__)
def test_a_failure_of_the_server_needs_neither_database_nor_session(client):
    client.raise_request_exception = False

    def refuse(execute, sql, params, many, context):
        raise DatabaseError("gone")

    with connection.execute_wrapper(refuse):
        answer = client.get("/broken")
    assert answer.status_code == 500
    assert "Something went wrong" in texts(answer)
    assert "hunter2" not in texts(answer)


def test_an_error_page_does_not_fail_with_its_surroundings(clerk, monkeypatch):
    monkeypatch.setattr(
        "platform_site.site.web.errors.administrators_to_ask", lambda user: 1 / 0
    )
    answer = clerk.get("/admin/nothing/")
    assert answer.status_code == 404
    assert not has_menu(answer)
    assert "Page not found" in texts(answer)


def test_programs_still_get_problems(clerk):
    answer = clerk.get("/api/v1/Nothing")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("application/problem+json")
