"""The front between connections and the WSGI application: it serves health and static
files itself, without a request thread, and passes on all other requests."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import IO, Final
from wsgiref.types import WSGIApplication

from platform_site.log_context import logged_with
from platform_site.maintenance import current_maintenance
from platform_site.site.host.byte_budget import ByteBudget
from platform_site.site.host.connections import ClientConnection
from platform_site.site.host.metrics_endpoint import (
    METRICS,
    MetricsEndpoint,
    ServerFigures,
)
from platform_site.site.host.refused_requests import RefusedError, stopping
from platform_site.site.host.request_bodies import Bodies, Message, Receive, has_body
from platform_site.site.host.requests import THREADS, Requests
from platform_site.site.host.response_bodies import PIECE_BYTES, Headers, Send
from platform_site.site.host.service_manager import Progress
from platform_site.site.web.access_log import log_access
from platform_site.site.web.admission import ADMISSION, Admission
from platform_site.site.web.headers import common_headers
from platform_site.site.web.request_ids import HEADER, chosen
from platform_site.site.web.static_files import BrowserFiles

LIVE: Final = "/health/live"
READY: Final = "/health/ready"
_SAFE_METHODS: Final = ("GET", "HEAD")
_NO_STORE: Final = (b"cache-control", b"no-store")
_REQUEST_ID: Final = HEADER.lower().encode()
_LENGTH: Final = b"content-length"
_CLOSE: Final = (b"connection", b"close")
_CREDENTIALS: Final = (b"authorization", b"x-api-key", b"cookie")
_MAINTENANCE: Final = (b"x-maintenance", b"on")
_TEXT: Final = (b"content-type", b"text/plain")


@dataclass(slots=True)
class _Own:
    """A response of the front itself; its content may be a file."""

    status: int
    headers: Headers
    content: bytes = b""
    file: IO[bytes] | None = None
    route: str = ""


class _Request:
    """A request with its id."""

    def __init__(self, scope: Message, send: Send) -> None:
        self._begun = time.monotonic()
        self._send = send
        self.scope = scope
        self.connection: ClientConnection = scope["state"]["connection"]
        self.address = scope["client"][0] if scope.get("client") else ""
        self.is_answered = False
        given = [value for name, value in scope["headers"] if name == _REQUEST_ID]
        self.request_id = chosen(given[0].decode("latin-1") if given else None)
        # The application should use the same id.
        others = [each for each in scope["headers"] if each[0] != _REQUEST_ID]
        scope["headers"] = [*others, (_REQUEST_ID, self.request_id.encode())]

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        self.is_answered = True
        await self._send(message)

    def log(self, status: int, sent: int, route: str) -> None:
        """Write the response to the access log."""
        asked = self.scope["query_string"]
        log_access(
            address=self.address,
            method=self.scope["method"],
            target=(self.scope["raw_path"] + (b"?" + asked if asked else b"")).decode(
                "latin-1"
            ),
            status=status,
            sent=sent,
            seconds=time.monotonic() - self._begun,
            request_id=self.request_id,
            route=route,
        )


class AsgiApplication:
    """The ASGI application of the server."""

    def __init__(
        self,
        application: WSGIApplication,
        files: BrowserFiles,
        readiness: Callable[[], str],
        spool_bytes: int,
        metrics: MetricsEndpoint | None = None,
    ) -> None:
        on_disk = ByteBudget(spool_bytes)
        self._requests = Requests(application, on_disk)
        self._bodies = Bodies(self._admitted, on_disk, self._requests.files)
        self._files = files
        self._readiness = readiness
        self._metrics = metrics
        self._probes = ThreadPoolExecutor(1, "probe")
        self._ready: asyncio.Future[str] | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one request, without a trace if the client disconnects early."""
        request = _Request(scope, send)
        with logged_with(request_id=request.request_id, address=request.address):
            try:
                await self._answer(request, receive)
            except asyncio.CancelledError:
                await self._end(request)

    def figures(self, connections: int) -> ServerFigures:
        """Return what the server is doing, with the number of its connections."""
        bodies = {"bodies": self._bodies.in_memory}
        return ServerFigures(
            threads=THREADS,
            threads_busy=self._requests.busy,
            requests_waiting=self._requests.waiting,
            connections=connections,
            budgets={**bodies, **self._requests.budgets()},
        )

    def progress(self) -> Progress:
        """Return what tells whether requests are still handled."""
        return Progress(
            lambda: self._requests.finished, lambda: self._requests.busy < THREADS
        )

    async def _answer(self, request: _Request, receive: Receive) -> None:
        try:
            own = await self._own(request.scope)
            if own is None:
                await self._from_application(request, receive)
                return
        except RefusedError as refusal:
            headers = _headers(request.scope, *refusal.headers)
            own = _Own(refusal.status, headers, refusal.content)
        await self._send(request, own)

    async def _end(self, request: _Request) -> None:
        """End requests in progress when the server has waited long enough."""
        if request.is_answered:
            request.connection.abort()
            # The library notices this before it waits for the rest of the response.
            await asyncio.sleep(0)
            return
        refusal = stopping()
        headers = _headers(request.scope, *refusal.headers)
        await self._send(request, _Own(refusal.status, headers, refusal.content))

    async def _from_application(self, request: _Request, receive: Receive) -> None:
        try:
            body = await self._bodies.taken(request.scope, receive)
        except _AnsweredError as answered:
            for message in answered.messages:
                await request.send(message)
            return
        if body is not None:
            try:
                await self._requests.answer(request.scope, body, request.send)
            finally:
                body.close()

    async def _own(self, scope: Message) -> _Own | None:
        path, method = scope["path"], scope["method"]
        if path in (LIVE, READY):
            if method not in _SAFE_METHODS:
                return _Own(405, _headers(scope, (b"allow", b"GET, HEAD")))
            reason = await self._reason() if path == READY else ""
            word, status = (b"Unhealthy", 503) if reason else (b"Healthy", 200)
            headers = _headers(scope, _TEXT, _NO_STORE)
            if path == READY and current_maintenance() is not None:
                headers.append(_MAINTENANCE)
            return _Own(status, headers, word, route=path)
        if path == METRICS and self._metrics is not None:
            metrics = await self._metrics.answer(scope, asks_key=True)
            if metrics is not None:
                headers = _headers(scope, *metrics.headers)
                return _Own(metrics.status, headers, metrics.content, route=path)
        found = self._files.answer(path, method, scope["scheme"], scope["headers"])
        if found is None:
            return None
        headers = _headers(scope, *found.headers)
        return _Own(found.status, headers, file=found.file, route="static files")

    async def _reason(self) -> str:
        """Return why the application isn't ready; only one thread checks at a time."""
        if self._ready is None or self._ready.done():
            loop = asyncio.get_running_loop()
            self._ready = loop.run_in_executor(self._probes, self._readiness)
        return await asyncio.shield(self._ready)

    async def _send(self, request: _Request, own: _Own) -> None:
        headers = [*own.headers, (_REQUEST_ID, request.request_id.encode())]
        if own.status != HTTPStatus.NOT_MODIFIED and not _has_header(headers, _LENGTH):
            headers.append((_LENGTH, str(len(own.content)).encode()))
        if has_body(request.scope):
            # The body was not read, and its rest isn't a request.
            headers.append(_CLOSE)
        start = {"type": "http.response.start", "status": own.status}
        await request.send({**start, "headers": headers})
        sent = 0
        async for piece, more in self._pieces(own):
            body = {"type": "http.response.body", "body": piece, "more_body": more}
            await request.send(body)
            sent += len(piece)
            if request.connection.is_lost:
                break
        request.log(own.status, sent, own.route)

    async def _pieces(self, own: _Own) -> AsyncIterator[tuple[bytes, bool]]:
        if own.file is None:
            yield own.content, False
            return
        loop, more = asyncio.get_running_loop(), True
        with own.file as file:
            while more:
                # A slow disk must not block others.
                piece = await loop.run_in_executor(
                    self._requests.files, file.read, PIECE_BYTES
                )
                more = len(piece) == PIECE_BYTES
                yield piece, more

    async def _admitted(self, scope: Message) -> int:
        """Return the maximum body size for the caller, as the application decides by
        the head.

        Raise _AnsweredError with its response if it has already refused the request.
        """
        if not any(name in _CREDENTIALS for name, _value in scope["headers"]):
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED, "Sign in to send a request this large."
            )
        admission = Admission()
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        asked = {ADMISSION: admission}
        await self._requests.answer(scope, io.BytesIO(), keep, **asked)
        if admission.most_bytes is None:
            messages[0]["headers"].append(_CLOSE)
            raise _AnsweredError(messages)
        return admission.most_bytes


class _AnsweredError(Exception):
    """The end of a request that the application has already answered by its head."""

    def __init__(self, messages: list[Message]) -> None:
        super().__init__()
        self.messages = messages


def _headers(scope: Message, *own: tuple[bytes, bytes]) -> Headers:
    return [*own, *common_headers(scope["scheme"])]


def _has_header(headers: Headers, wanted: bytes) -> bool:
    return any(name == wanted for name, _value in headers)
