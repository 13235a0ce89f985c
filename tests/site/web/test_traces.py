"""What the log tells of requests: who asked for what, and what was refused or failed."""

from __future__ import annotations

import logging

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import path

from platform_site.site.host.log_lines import LineFormatter, RefusalsInOneLine
from platform_site.site.web.request_ids import HEADER, current_request_id
from platform_site.urls import (
    handler500,  # noqa: F401 - Django finds it here
    urlpatterns as site_patterns,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


def fail(_request):
    raise RuntimeError("hunter2")


def forbid(_request):
    raise PermissionDenied("not for you")


def suspect(_request):
    raise SuspiciousOperation("odd")


def stream(_request):
    return StreamingHttpResponse(iter([b"abc", b"defg"]))


def show(request):
    return HttpResponse(f"{request.user.get_username()} {current_request_id()}")


urlpatterns = [
    *site_patterns,
    path("broken", fail),
    path("api/broken", fail),
    path("forbidden", forbid),
    path("odd", suspect),
    path("stream", stream),
    path("show", show),
]


class Lines(logging.Handler):
    """Keeps what the standard error of a server would show."""

    def __init__(self):
        super().__init__()
        self.addFilter(RefusalsInOneLine())
        self.setFormatter(
            LineFormatter("{levelname} {name}{work}: {message}", style="{")
        )
        self.entries = []

    def emit(self, record):
        self.entries.append(self.format(record))


@pytest.fixture
def log():
    handler, root = Lines(), logging.getLogger()
    root.addHandler(handler)
    yield handler.entries
    root.removeHandler(handler)


def other_than_access(entries):
    return [entry for entry in entries if "platform.access" not in entry]


def of_access(entries):
    return [entry for entry in entries if "platform.access" in entry]


def test_each_answer_is_one_line_with_its_request(log, admin_client):
    admin_client.get("/show?q=secret", headers={HEADER: "r-17"})
    [line] = of_access(log)
    assert line.startswith(
        "INFO platform.access [request=r-17]: 127.0.0.1 admin GET /show?q=… 200 "
    )
    assert "secret" not in "".join(log)


def test_an_answer_without_a_person_asks_no_database(
    log, client, django_assert_num_queries
):
    with django_assert_num_queries(0):
        client.get("/nowhere")
    assert " - GET /nowhere 404 " in of_access(log)[0]


def test_what_is_streamed_is_counted_to_its_end(log, client):
    answer = client.get("/stream", headers={HEADER: "r-18"})
    assert of_access(log) == []
    assert b"".join(answer.streaming_content) == b"abcdefg"
    answer.close()
    [line] = of_access(log)
    assert "[request=r-18]" in line
    assert " 200 7 bytes " in line


def test_a_head_has_no_bytes(log, client):
    client.head("/admin/login/")
    assert " 200 0 bytes " in of_access(log)[0]


@pytest.mark.parametrize(
    ("asked", "status", "more"),
    [
        ("/forbidden", 403, {}),
        ("/odd", 400, {}),
        ("/nowhere", 404, {}),
        ("/api/v1/nowhere", 404, {}),
        ("/api/v1/Items", 401, {}),
        ("/admin/", 400, {"HTTP_HOST": "evil.example"}),
        ("/api/v1/Items", 400, {"HTTP_HOST": "evil.example"}),
        ("/admin/", 400, {"HTTP_HOST": "a b\x1b[2J"}),
    ],
)
def test_what_is_refused_is_one_line_without_a_traceback(
    log, client, settings, asked, status, more
):
    settings.ALLOWED_HOSTS = ["testserver"]
    answer = client.get(asked, **more, headers={HEADER: "r-19"})
    assert answer.status_code == status
    [line] = other_than_access(log)
    assert len(line.splitlines()) == 1
    assert line.startswith("WARNING django.")
    assert "[request=r-19]" in line
    assert "\x1b" not in line


def test_a_form_without_its_token_is_one_line(log):
    Client(enforce_csrf_checks=True).post("/admin/login/", {"password": "hunter2"})
    [line] = other_than_access(log)
    assert "CSRF" in line
    assert len(line.splitlines()) == 1
    assert "hunter2" not in "".join(log)


def test_a_failure_is_one_traceback_and_its_page_names_the_request(log):
    client = Client(raise_request_exception=False)
    answer = client.get("/broken", headers={HEADER: "r-20"})
    assert answer.status_code == 500
    assert "r-20" in answer.content.decode()
    assert answer[HEADER] == "r-20"
    [entry] = other_than_access(log)
    assert entry.startswith("ERROR django.request [request=r-20]: ")
    assert entry.count("Traceback (most recent call last)") == 1


def test_a_failure_of_the_interface_names_the_request_too(log):
    client = Client(raise_request_exception=False)
    answer = client.get("/api/broken", headers={HEADER: "r-21"})
    assert answer.json()["code"] == "internal"
    assert answer.json()["requestId"] == "r-21"
    assert "hunter2" not in answer.content.decode()
