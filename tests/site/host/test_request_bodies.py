"""What is taken in of bodies, from whom, and how much of all together."""

from __future__ import annotations

import asyncio
import json

import pytest

from platform_site.site.host import byte_budget, request_bodies
from tests.site.host.conversations import ADMITTED, HEAD, MOST, answer, conversation

EXPECTING = b"Expect: 100-continue\r\n"


def sent(head, size, *, chunked=False):
    if chunked:
        frame = b"%x\r\n" % size + b"a" * size + b"\r\n0\r\n\r\n"
        return head + b"Transfer-Encoding: chunked\r\n\r\n" + frame
    return head + b"Content-Length: %d\r\n\r\n" % size + b"a" * size


@pytest.mark.parametrize("size", [1, 65_536, 1_100_000, 2_500_000])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_arrives_whole(size, chunked):
    async def talk(clients):
        return await clients.answered(sent(ADMITTED, size, chunked=chunked))

    status, _, body = conversation(talk)
    assert (status, int(body)) == (200, size)


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    ("head", "size", "code"),
    [
        (HEAD, request_bodies.FROM_ANYBODY_BYTES + 1, "not-signed-in"),
        (ADMITTED, MOST + 1, "too-large"),
    ],
)
def test_what_is_too_large_for_its_sender_is_refused_with_a_problem(
    head, size, code, chunked
):
    async def talk(clients):
        return await clients.answered(sent(head, size, chunked=chunked))

    status, headers, body = conversation(talk)
    assert headers["content-type"] == "application/problem+json"
    problem = json.loads(body)
    assert (problem["code"], problem["status"]) == (code, status)


def test_a_client_that_expects_100_continue_is_refused_before_it_sends():
    async def talk(clients):
        length = b"Content-Length: %d\r\n\r\n"
        refused = await clients.answered(ADMITTED + EXPECTING + length % (MOST + 1))
        reader, writer = await clients.connected(ADMITTED + EXPECTING + length % 9)
        first = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"a" * 9)
        return refused[0], first, (await answer(reader))[2]

    assert conversation(talk) == (413, b"HTTP/1.1 100 Continue\r\n\r\n", b"9")


def test_where_bodies_have_no_room_the_slowest_goes_and_others_get_in(monkeypatch):
    monkeypatch.setattr(request_bodies, "_IN_MEMORY_BYTES", 1_100_000)
    monkeypatch.setattr(byte_budget, "SPARED_SECONDS", 0)

    async def talk(clients):
        head = HEAD + b"Content-Length: 900000\r\n\r\n"
        slow, writer = await clients.connected(head + b"a" * 800_000)
        await writer.drain()
        quick = await clients.answered(sent(HEAD, 700_000))
        return (await answer(slow))[0], quick[0]

    assert conversation(talk) == (408, 200)


def test_a_client_that_goes_half_way_leaves_its_room(monkeypatch):
    monkeypatch.setattr(request_bodies, "_IN_MEMORY_BYTES", 1_100_000)

    async def talk(clients):
        for _ in range(5):
            head = HEAD + b"Content-Length: 900000\r\n\r\n"
            _, writer = await clients.connected(head + b"a" * 800_000)
            await writer.drain()
            writer.close()
            await asyncio.sleep(0)
        return (await clients.answered(sent(HEAD, 900_000)))[0]

    assert conversation(talk) == 200
