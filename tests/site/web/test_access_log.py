"""The lines of the access log, without the server that asks for them."""

from __future__ import annotations

import logging

import pytest

from platform_site.site.web.access_log import log_access, shown_target


def logged(caplog, **more):
    known = {"address": "10.0.0.7", "method": "GET", "target": "/a", "status": 200}
    known |= {"sent": 12, "seconds": 0.0042, "request_id": "r1", **more}
    with caplog.at_level(logging.INFO, "platform.access"):
        log_access(**known)
    return caplog.records[-1] if caplog.records else None


def test_a_line_has_all_that_is_asked_of_an_access_log(caplog):
    record = logged(caplog, user_name="eve")
    assert record.getMessage() == "10.0.0.7 eve GET /a 200 12 bytes 4 ms"
    assert record.fields["requestId"] == "r1"
    assert record.fields["milliseconds"] == 4


def test_nobody_is_a_dash(caplog):
    assert logged(caplog).getMessage().startswith("10.0.0.7 - GET")


def test_nothing_is_written_where_it_is_switched_off(caplog):
    with caplog.at_level(logging.WARNING, "platform.access"):
        log_access(
            address="",
            method="GET",
            target="/",
            status=200,
            sent=0,
            seconds=0,
            request_id="",
        )
    assert caplog.records == []


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("/admin/", "/admin/"),
        ("/a?q=Smith&page=2&q=Jones", "/a?q=…&page=…"),
        ("/a?token=abc", "/a?token=…"),
        ("/a?hunter2", "/a?…"),
        ("/a?x y=1", "/a?…"),
        ("/a?", "/a?…"),
        (f"/a?{'k' * 41}=1", "/a?…"),
    ],
)
def test_of_a_query_only_names_are_shown(target, shown):
    assert shown_target(target) == shown


def test_a_long_path_is_cut():
    assert len(shown_target("/" + "x" * 9000)) == 500
