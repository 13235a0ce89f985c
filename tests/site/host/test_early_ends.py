"""Requests that end early, whoever ends them: no traceback, and a line that tells."""

from __future__ import annotations

import json
import logging

import pytest

from platform_site.log_context import log_context
from platform_site.site.host import request_bodies
from tests.site.host.conversations import ADMITTED, HEAD, answer, conversation, ended

LIVE = b"GET /health/live HTTP/1.1\r\nHost: x\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
LENGTH = b"Content-Length: 99999\r\n"


@pytest.mark.parametrize("head", [LIVE, HEAD, ADMITTED])
def test_a_body_that_is_no_http_leaves_no_error_in_the_log(caplog, head):
    async def talk(clients):
        reader, writer = await clients.connected(head + CHUNKED + b"ZZ\r\n")
        status, _, _ = await answer(reader)
        writer.close()
        await ended(reader)
        # Whatever is still said of it is said before the next one is answered.
        return status, (await clients.answered(HEAD + b"Content-Length: 0\r\n\r\n"))[0]

    assert conversation(talk) == (400, 200)
    assert [one for one in caplog.records if one.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("given", [b"", b"X-Request-ID: mine\r\n"])
def test_the_log_line_of_a_refusal_has_its_time_and_the_id_it_was_answered_with(
    monkeypatch, given
):
    monkeypatch.setattr(request_bodies, "FIRST_SECONDS", 0.2)
    seen = []
    monkeypatch.setattr(
        "platform_site.site.host.asgi_application.log_access",
        lambda **known: seen.append((known, log_context().request_id)),
    )

    async def talk(clients):
        reader, _ = await clients.connected(HEAD + given + LENGTH + b"\r\n")
        return (await answer(reader))[:2]

    status, headers = conversation(talk)
    ((known, context),) = seen
    assert status == known["status"] == 408
    assert known["seconds"] >= 0.1
    assert headers["x-request-id"] == known["request_id"] == context
    assert context == "mine" or not given


def test_the_application_takes_the_id_that_the_front_has_chosen():
    def application(environ, start_response):
        start_response("200 OK", [])
        return [f"{environ['HTTP_X_REQUEST_ID']} {log_context().request_id}".encode()]

    async def talk(clients):
        head = b"GET / HTTP/1.1\r\nHost: x\r\nX-Request-ID: a b\r\n\r\n"
        return (await clients.answered(head))[2]

    taken, context = conversation(talk, application).decode().split()
    assert taken == context


def test_an_upload_in_progress_when_the_server_stops_is_asked_to_retry(caplog):
    async def talk(clients):
        reader, writer = await clients.connected(ADMITTED + LENGTH + b"\r\naaa")
        await writer.drain()
        # Answered after the upload has begun.
        await clients.answered(LIVE + b"\r\n")
        clients.stop_the_server()
        return await answer(reader)

    status, headers, body = conversation(talk, grace=0.1)
    assert (status, headers["retry-after"]) == (503, "5")
    assert json.loads(body)["code"] == "unavailable"
    assert not any(one.exc_info for one in caplog.records)


def test_an_answer_that_outlasts_the_server_leaves_no_traceback(caplog):
    def large(_environ, start_response):
        start_response("200 OK", [])
        return [b"x" * 20_000_000]

    async def talk(clients):
        reader, _ = await clients.connected(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        reader._transport.pause_reading()
        clients.stop_the_server()

    conversation(talk, large, grace=0.1)
    errors = [one for one in caplog.records if one.levelno >= logging.ERROR]
    assert [one.exc_info for one in errors] == [None]
