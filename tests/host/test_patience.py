"""How long the server waits for a client, and what it takes in, with short limits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket

import pytest
import uvicorn

from platform_site.host import patience
from platform_site.host.bodies import WholeBodies, largest_body
from platform_site.host.patience import PatientProtocol
from platform_site.settings.env import read_settings

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"
MOST = 3_000_000


class Quiet(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self):
        yield


async def echo(_scope, receive, send):
    """Answer with the length of the body, and much more where nothing was sent."""
    size = 0
    while True:
        message = await receive()
        size += len(message["body"])
        if not message["more_body"]:
            break
    content = str(size).encode() if size else b"x" * 20_000_000
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": content})


def conversation(talk):
    """Serve on a free port while `talk` writes and reads; return what it returns."""

    async def run():
        config = uvicorn.Config(
            WholeBodies(echo, MOST),
            http=PatientProtocol,
            lifespan="off",
            log_config=None,
            timeout_keep_alive=60,
        )
        server = Quiet(config)
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            return await asyncio.wait_for(talk(reader, writer), timeout=30)
        finally:
            writer.close()
            server.should_exit = server.force_exit = True
            await serving

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("limit", "sent"),
    [
        ("HEAD_SECONDS", b""),
        ("HEAD_SECONDS", HEAD[:20]),
        ("BODY_SECONDS", HEAD + b"Content-Length: 9\r\n\r\nabc"),
    ],
)
def test_a_client_that_stops_half_way_is_let_go(monkeypatch, limit, sent):
    monkeypatch.setattr(patience, limit, 0.05)

    async def talk(reader, writer):
        writer.write(sent)
        return await ended(reader)

    assert conversation(talk) == b""


def test_a_byte_now_and_then_does_not_prolong_a_head(monkeypatch):
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.2)

    async def talk(reader, writer):
        reading = asyncio.ensure_future(ended(reader))
        for byte in HEAD * 100:
            writer.write(bytes([byte]))
            await asyncio.wait([reading], timeout=0.02)
            if reading.done():
                return reading.result()
        return b"never let go"

    assert conversation(talk) == b""


def test_a_client_that_takes_no_answer_is_let_go(monkeypatch):
    monkeypatch.setattr(patience, "ANSWER_SECONDS", 0.05)

    async def talk(reader, writer):
        writer.transport.pause_reading()
        writer.write(HEAD + b"Content-Length: 0\r\n\r\n")
        lost = writer.transport.get_extra_info("socket")
        while lost.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
            try:
                writer.write(b"G")
                await writer.drain()
            except ConnectionError:
                break
            await asyncio.sleep(0)
        return "let go"

    assert conversation(talk) == "let go"


async def ended(reader):
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("size", [1, 65_536, 2_500_000])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_arrives_whole(size, chunked):
    async def talk(reader, writer):
        if chunked:
            writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            writer.write(b"%x\r\n" % size + b"a" * size + b"\r\n0\r\n\r\n")
        else:
            writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % size + b"a" * size)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        return int((await chunk(reader)).decode())

    assert conversation(talk) == size


async def chunk(reader):
    length = int(await reader.readline(), 16)
    return await reader.readexactly(length)


def test_a_body_that_grows_too_large_is_refused_with_a_problem():
    async def talk(reader, writer):
        writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        size = MOST + 1
        writer.write(b"%x\r\n" % size + b"a" * size)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 413")
        return json.loads(await ended(reader))

    problem = conversation(talk)
    assert (problem["status"], problem["code"]) == (413, "too-large")
    assert problem["limit"] == MOST
    assert "3,000,000 bytes" in problem["detail"]


def test_the_most_that_is_taken_follows_the_settings():
    small = largest_body(read_settings({}))
    large = largest_body(read_settings({"Import__MaxPackageSizeBytes": "999999999"}))
    assert small >= 52_428_800
    assert large > 999_999_999
