"""What a connection may do, and how long it is waited for."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest

from platform_site.site.host import connections, http_protocol, request_bodies
from tests.site.host.conversations import (
    ADMITTED,
    HEAD,
    MOST,
    answer,
    conversation,
    ended,
)

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
LIVE = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\nHost: x\n\n",
        b"GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: b\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\tc\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\r\n",
    ],
)
def test_bare_line_feeds_and_folded_headers_are_refused(sent):
    async def talk(clients):
        status, headers, _ = await clients.answered(sent)
        return status, headers["connection"]

    assert conversation(talk) == (400, "close")


def test_a_request_in_order_is_taken_even_in_small_pieces():
    async def talk(clients):
        reader, writer = await clients.connected()
        for byte in GET:
            writer.write(bytes([byte]))
            await writer.drain()
        return (await answer(reader))[0]

    assert conversation(talk) == 200


@pytest.mark.parametrize("sent", [b"", HEAD[:20]])
def test_a_client_that_asks_nothing_is_let_go(monkeypatch, sent):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)

    async def talk(clients):
        reader, _ = await clients.connected(sent)
        return await ended(reader)

    assert conversation(talk) == b""


@pytest.mark.parametrize(
    ("module", "limit", "sent", "told"),
    [
        (connections, "HEAD_SECONDS", HEAD, b""),
        (
            request_bodies,
            "FIRST_SECONDS",
            HEAD + b"Content-Length: 99999\r\n\r\n",
            b"HTTP/1.1 408",
        ),
    ],
)
def test_a_byte_now_and_then_prolongs_nothing(monkeypatch, module, limit, sent, told):
    monkeypatch.setattr(module, limit, 0.2)
    monkeypatch.setattr(connections, "LINGER_SECONDS", 0.1)

    async def talk(clients):
        reader, writer = await clients.connected(sent)
        reading = asyncio.ensure_future(ended(reader))
        while not reading.done():
            writer.write(b"a")
            await asyncio.wait([reading], timeout=0.02)
        return reading.result()

    assert conversation(talk)[:12] == told


def test_a_client_that_takes_no_answer_is_let_go(monkeypatch):
    monkeypatch.setattr(connections, "PIECE_SECONDS", 0.05)

    async def talk(clients):
        _, writer = await clients.connected(GET)
        writer.transport.pause_reading()
        while not writer.is_closing():
            writer.write(b"G")
            await asyncio.sleep(0)
        return "let go"

    assert conversation(talk, large) == "let go"


def large(_environ, start_response):
    start_response("200 OK", [])
    return [b"x" * 20_000_000]


def test_clients_that_do_not_read_hold_no_thread():
    """Twenty of them, more than there are threads."""
    asked = []

    def application(environ, start_response):
        asked.append(environ["PATH_INFO"])
        return large(environ, start_response)

    async def talk(clients):
        for _ in range(20):
            _, writer = await clients.connected(GET)
            writer.transport.pause_reading()
        while len(asked) < 20:
            await asyncio.sleep(0)
        status, _, body = await clients.answered(GET)
        return status, len(body)

    assert conversation(talk, application, spool=1 << 30) == (200, 20_000_000)


def test_an_answer_larger_than_all_room_arrives_whole_where_it_is_read():
    def application(_environ, start_response):
        start_response("200 OK", [])
        return (bytes([number]) * 100_000 for number in range(200))

    async def talk(clients):
        return (await clients.answered(GET))[2]

    found = conversation(talk, application, spool=1 << 20)
    assert found == b"".join(bytes([number]) * 100_000 for number in range(200))


def test_where_answers_have_no_room_the_client_that_does_not_read_is_let_go():
    async def talk(clients):
        _, writer = await clients.connected(GET)
        writer.transport.pause_reading()
        return len((await clients.answered(GET))[2])

    assert conversation(talk, large, spool=21_000_000) == 20_000_000


def test_a_refusal_reaches_a_client_that_sends_all_before_it_reads():
    size = 20_000_000

    async def talk(clients):
        head = ADMITTED + b"Content-Length: %d\r\n\r\n" % size
        reader, writer = await clients.connected(head)
        writer.write(b"a" * size)
        await writer.drain()
        status, _, body = await answer(reader)
        return status, json.loads(body), await reader.read()

    status, problem, rest = conversation(talk)
    assert (status, problem["code"], rest) == (413, "too-large", b"")
    assert problem["limit"] == MOST
    assert "3,000,000 bytes" in problem["detail"]


def test_a_refused_client_that_keeps_sending_is_disconnected(monkeypatch):
    monkeypatch.setattr(connections, "LINGER_BYTES", 1_000_000)

    async def talk(clients):
        head = HEAD + b"Content-Length: 99999999999\r\n\r\n"
        reader, writer = await clients.connected(head)
        status, _, _ = await answer(reader)
        await until_lost(writer)
        return status

    assert conversation(talk) == 401


async def until_lost(writer):
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"a" * 65_536)
            await writer.drain()


def test_a_request_that_was_not_read_leaves_nothing_that_passes_for_another():
    body = GET

    async def talk(clients):
        head = LIVE[:-2] + b"Content-Length: %d\r\n\r\n" % len(body)
        reader, _ = await clients.connected(head + body)
        status, headers, _ = await answer(reader)
        return status, headers["connection"], await ended(reader)

    assert conversation(talk) == (200, "close", b"")


def test_where_there_are_too_many_connections_the_one_waited_for_longest_goes(
    monkeypatch,
):
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 5)

    async def talk(clients):
        first, _ = await clients.connected(HEAD[:20])
        for _ in range(4):
            await clients.connected(HEAD[:20])
        status, _, body = await clients.answered(LIVE)
        return await ended(first), status, body

    assert conversation(talk) == (b"", 200, b"Healthy")


@pytest.mark.parametrize(
    "sent", [b"\n\n", LIVE * 3 + b"POST / HTTP/1.1\r\n", LIVE], ids=str
)
def test_a_crowd_of_one_address_keeps_nobody_else_out(monkeypatch, sent):
    """Whether it is refused, is answered, or sends nothing more."""
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 20)

    async def talk(clients):
        for _ in range(60):
            await clients.connected(sent, address="127.0.0.2")
        answers = [await clients.answered(LIVE) for _ in range(5)]
        return {status for status, _, _ in answers}

    assert conversation(talk) == {200}


@pytest.mark.parametrize(
    "sent",
    [
        HEAD
        + b"Transfer-Encoding: chunked\r\n\r\n"
        + b"1\r\nx\r\n" * (http_protocol.CHUNKS_SPARED * 2),
        HEAD + b"a:\r\n" * http_protocol.MOST_LINES + b"\r\n",
        HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ids=["many small chunks", "many lines", "two lengths"],
)
def test_what_costs_the_server_more_than_the_client_is_refused(sent):
    async def talk(clients):
        return await clients.answered(sent)

    status, headers, body = conversation(talk)
    assert (status, headers["connection"]) == (400, "close")
    assert headers["x-request-id"]
    assert body == b"Invalid HTTP request received."


@pytest.mark.parametrize("size", [1, 1000])
def test_chunks_are_taken_whatever_their_size_in_reason(size):
    sent = b"%x\r\n" % size + b"x" * size + b"\r\n"
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

    async def talk(clients):
        return await clients.answered(head + sent * 900 + b"0\r\n\r\n")

    assert int(conversation(talk)[2]) == 900 * size


def test_a_body_that_breaks_off_after_the_answer_leaves_no_failure(caplog):
    async def talk(clients):
        head = LIVE[:-2] + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n"
        await clients.connected(head)
        status, _, _ = await clients.answered(LIVE)
        return status

    assert conversation(talk) == 200
    assert not [each for each in caplog.records if each.levelname == "ERROR"]
