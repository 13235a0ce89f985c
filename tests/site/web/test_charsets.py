"""Requests that name another charset than UTF-8, or one that is none for texts."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
CHARSETS = ("utf-7", "utf-16", "hex", "undefined", "idna", "nothing", "\u00e4")


def sent(charset, path="/admin/login/", kind=FORM):
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.get("/admin/login/")
    return client.generic(
        "POST",
        path,
        b"username=a&password=b",
        content_type=f"{kind}; charset={charset}",
        headers={"X-CSRFToken": client.cookies["csrftoken"].value},
    )


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("path", ["/admin/login/", "/admin/catalogs/item/", "/none/"])
def test_a_form_in_another_charset_is_refused(charset, path):
    answer = sent(charset, path)
    if charset in ("nothing", "\u00e4"):
        assert answer.status_code < 500  # Django takes it for none
    else:
        assert answer.status_code == 400
        assert "malformed" in answer.content.decode()


@pytest.mark.parametrize("charset", ["utf-7", "hex"])
def test_a_form_with_parts_in_another_charset_is_refused(charset):
    answer = sent(charset, kind="multipart/form-data; boundary=x")
    assert answer.status_code == 400


def test_programs_get_a_problem():
    answer = sent("utf-7", "/api/v1/Items")
    assert answer.status_code == 415
    assert answer.json()["detail"] == "Forms must be encoded in UTF-8."


@pytest.mark.parametrize("charset", ["utf-8", "UTF8"])
def test_a_form_in_utf_8_is_read(charset):
    answer = sent(charset)
    assert answer.status_code == 200
    assert "errornote" in answer.content.decode()


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("path", ["/admin/login/?next=a", "/api/v1/Items?page=1"])
def test_an_address_is_read_as_utf_8_whatever_is_named(charset, path):
    client = Client(raise_request_exception=False)
    kind = f"text/plain; charset={charset}"
    assert client.generic("GET", path, content_type=kind).status_code in {200, 401}
