"""The headers on every answer, whoever gives it."""

from __future__ import annotations

from html import unescape

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import URLPattern, get_resolver, path

from platform_site.site.web.errors import server_error
from platform_site.site.web.headers import CONTENT_SECURITY_POLICY, HEADERS
from platform_site.urls import urlpatterns as site_patterns

pytestmark = pytest.mark.django_db


def fail(_request):
    raise RuntimeError("hunter2")


urlpatterns = [*site_patterns, path("broken", fail)]
handler500 = server_error


def every_path():
    """Return a path of each pattern of the site, its parts filled with a 1."""
    found = set()
    for pattern in flat(get_resolver().url_patterns, ""):
        text = pattern.replace("^", "").replace("$", "").replace("\\Z", "")
        for part in ("<path:object_id>", "<int:id>", "<str:name>"):
            text = text.replace(part, "1")
        if "<" not in text and "(" not in text and "\\" not in text:
            found.add(f"/{text}")
    return sorted(found)


def flat(patterns, prefix):
    for one in patterns:
        text = prefix + str(one.pattern)
        if isinstance(one, URLPattern):
            yield text
        else:
            yield from flat(one.url_patterns, text)


def missing(answer):
    return {name for name in HEADERS if not answer.get(name)}


def test_every_page_carries_them_for_a_stranger_and_for_an_administrator(admin_client):
    paths = every_path()
    assert "/admin/login/" in paths
    assert len(paths) > 50
    for client in (Client(), admin_client):
        for one in paths:
            if "logout" not in one:
                assert missing(client.get(one)) == set(), one


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/health/live", 200),
        ("/static/css/errors.css", 200),
        ("/no/such/page", 404),
        ("/static/none.css", 404),
        ("/admin", 301),
    ],
)
def test_answers_that_no_view_gives_carry_them_too(address, status):
    answer = Client().get(address)
    assert answer.status_code == status
    assert missing(answer) == set()


def test_no_page_may_run_a_script_of_its_own_text():
    """HOST-002."""
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "default-src 'self'" in CONTENT_SECURITY_POLICY


@pytest.mark.urls(__name__)
def test_a_failure_is_a_plain_page_without_its_reason(caplog):
    """HOST-023."""
    answer = Client(raise_request_exception=False).get("/broken")
    assert answer.status_code == 500
    assert missing(answer) == set()
    text = answer.content.decode()
    assert "Something went wrong" in text
    assert "hunter2" not in text
    assert "Traceback" not in text
    assert "hunter2" in caplog.text


def test_a_host_that_is_not_served_gets_a_plain_page(settings):
    settings.ALLOWED_HOSTS = ["platform.example"]
    answer = Client().get("/admin/login/", headers={"host": "other.example"})
    assert answer.status_code == 400
    assert "couldn't be read" in unescape(answer.content.decode())
    assert missing(answer) == set()


def test_a_form_without_its_token_gets_a_plain_page():
    answer = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "x"})
    assert answer.status_code == 403
    assert "The form was not accepted" in answer.content.decode()
    assert missing(answer) == set()


def test_the_style_of_the_error_pages_is_a_file():
    assert finders.find("css/errors.css")
