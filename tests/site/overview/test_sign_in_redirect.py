"""Where a sign-in leads: to the page that was asked for, or to the start page."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from platform_site.accounts.services import create_user

pytestmark = pytest.mark.django_db
START, LOGIN = "/admin/", "/admin/login/"


@pytest.fixture
def clerk():
    return create_user(user_name="clerk", password="long-secret", roles=["employee"])


def signed_in(client, wanted, *, in_the_form=False):
    """Sign in at a login page that says where to go on; return where it leads."""
    typed = {"username": "clerk", "password": "long-secret"}
    address = LOGIN
    if in_the_form:
        typed["next"] = wanted
    else:
        address += "?" + urlencode({"next": wanted})
    answer = client.post(address, typed)
    assert answer.status_code == 302
    return answer["Location"]


@pytest.mark.parametrize("in_the_form", [True, False])
@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/",
        "//evil.example/admin/",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "http:///evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "admin:index",
        "",
        " ",
        "\x00",
        "/no/such/page",
        "/admin/nothing/here/",
        "/static/nothing.css",
        "/admin/accounts/user/",
        "/admin/accounts/user",
        "/admin/import",
        "/admin/login/",
        "/admin/logout/",
        "/admin/%ff",
    ],
)
def test_what_is_no_page_for_this_person_leads_to_the_start_page(
    client, clerk, wanted, in_the_form
):
    assert signed_in(client, wanted, in_the_form=in_the_form) == START


@pytest.mark.parametrize(
    "wanted",
    [
        "/admin/",
        "/",
        "/admin/catalogs/item/",
        "/admin/catalogs/item",
        "/admin/catalogs/item/?q=rice&all=",
        "/admin/processors",
        "/admin/password_change/",
        "/admin/catalogs/%69tem/",
        "/api/v1/Items",
    ],
)
def test_a_page_that_is_open_to_this_person_is_where_it_leads(client, clerk, wanted):
    assert signed_in(client, wanted) == wanted
    assert client.get(wanted, follow=True).status_code == 200


def test_a_sign_in_that_names_no_page_leads_to_the_start_page(client, clerk):
    typed = {"username": "clerk", "password": "long-secret"}
    assert client.post(LOGIN, typed)["Location"] == START


def test_the_address_of_a_missing_row_leads_to_the_start_page(client, clerk):
    assert signed_in(client, "/admin/catalogs/item/999999/change/") == START


def test_a_page_that_fails_does_not_keep_anybody_from_signing_in(
    client, clerk, monkeypatch, caplog
):
    def fail(*args):
        raise RuntimeError("broken")

    monkeypatch.setattr("platform_site.processing.services.allowed_processors", fail)
    assert signed_in(client, "/admin/processors") == START
    assert "/admin/processors failed after a sign-in" in caplog.text


def test_a_wrong_password_shows_the_form_again(client, clerk):
    typed = {"username": "clerk", "password": "wrong", "next": "/admin/import"}
    assert client.post(LOGIN, typed).status_code == 200


def test_whoever_cannot_sign_in_is_told_whom_to_ask(client):
    page = client.get(LOGIN, HTTP_ACCEPT_LANGUAGE="de").content.decode()
    assert "bitten Sie einen Administrator dieser Website" in page
