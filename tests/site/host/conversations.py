"""The front over an application of a few lines, and a client that writes and reads."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import uvicorn

from platform_site.site.host.asgi_application import AsgiApplication
from platform_site.site.host.connections import ClientConnection
from platform_site.site.web.admission import ADMISSION

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"
# Whoever says so may send as much as the tests want to.
ADMITTED = HEAD + b"Authorization: x\r\n"
MOST = 3_000_000
LIMIT_SECONDS = 60


class NoFiles:
    def answer(self, *_):
        return None


class Quiet(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self):
        yield


def echo(environ, start_response):
    """Answer with the length of the body; admit bodies of some size."""
    asked = environ.get(ADMISSION)
    if asked is not None:
        asked.most_bytes = MOST
        start_response("204 No Content", [])
        return []
    content = str(len(environ["wsgi.input"].read())).encode()
    start_response("200 OK", [("Content-Length", str(len(content)))])
    return [content]


class Talk:
    """What the clients of one test have: connections to one server."""

    def __init__(self, port, server):
        self._port = port
        self._server = server
        self._writers = []

    async def connected(self, sent=b"", *, receives=4096, address="127.0.0.1"):
        one = socket.socket()
        one.setblocking(False)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        one.bind((address, 0))
        loop = asyncio.get_running_loop()
        await loop.sock_connect(one, ("127.0.0.1", self._port))
        reader, writer = await asyncio.open_connection(sock=one)
        self._writers.append(writer)
        writer.write(sent)
        return reader, writer

    async def answered(self, sent):
        """Return status, headers and body of the answer to what is sent."""
        reader, _ = await self.connected(sent, receives=1 << 20)
        return await answer(reader)

    def stop_the_server(self):
        self._server.should_exit = True

    def close(self):
        for one in self._writers:
            one.transport.abort()


def conversation(talk, application=echo, *, spool=100_000_000, grace=None):
    """Serve on a free port while `talk` writes and reads; return what it returns."""

    async def run():
        front = AsgiApplication(application, NoFiles(), lambda: "", spool)
        config = uvicorn.Config(
            front,
            http=ClientConnection,
            lifespan="off",
            log_config=None,
            ws="none",
            timeout_graceful_shutdown=grace,
        )
        server = Quiet(config)
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0)
        clients = Talk(listening.getsockname()[1], server)
        try:
            return await asyncio.wait_for(talk(clients), LIMIT_SECONDS)
        finally:
            if not server.should_exit:
                clients.close()
                server.should_exit = server.force_exit = True
            await serving
            clients.close()

    return asyncio.run(run())


async def answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    status, *lines = head.decode().lower().strip().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    if "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    elif headers.get("transfer-encoding") == "chunked":
        body = b"".join([piece async for piece in chunks(reader)])
    else:
        body = b""
    return int(status.split()[1]), headers, body


async def chunks(reader):
    while size := int(await reader.readline(), 16):
        yield await reader.readexactly(size)
        await reader.readline()
    await reader.readline()


async def ended(reader):
    """Return what comes until the connection ends, however it does."""
    try:
        return await reader.read()
    except ConnectionError:
        return b""
