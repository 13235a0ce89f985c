"""What stands between the connections and the application: it answers for health and for
files for browsers itself, without a request thread, and hands on the rest."""

from __future__ import annotations

import asyncio
import io
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from platform_site.host.access_log import log_access
from platform_site.host.answers import PIECE_BYTES
from platform_site.host.refused_requests import RefusedError
from platform_site.host.request_bodies import Bodies, has_body
from platform_site.host.requests import Requests
from platform_site.host.room import Room
from platform_site.web.admission import ADMISSION, Admission
from platform_site.web.headers import common_headers
from platform_site.web.request_ids import HEADER, chosen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import IO
    from wsgiref.types import WSGIApplication

    from platform_site.host.answers import Headers, Send
    from platform_site.host.request_bodies import Message, Receive
    from platform_site.web.static_files import BrowserFiles

LIVE: Final = "/health/live"
READY: Final = "/health/ready"
_SAFE_METHODS: Final = ("GET", "HEAD")
_NO_STORE: Final = (b"cache-control", b"no-store")
_LENGTH: Final = b"content-length"
_CLOSE: Final = (b"connection", b"close")
_CREDENTIALS: Final = (b"authorization", b"x-api-key", b"cookie")
_TEXT: Final = (b"content-type", b"text/plain")


@dataclass(slots=True)
class _Own:
    """An answer of the front itself; the file, if there is one, is its content."""

    status: int
    headers: Headers
    content: bytes = b""
    file: IO[bytes] | None = None


class Front:
    """The ASGI application that the server serves."""

    def __init__(
        self,
        application: WSGIApplication,
        files: BrowserFiles,
        readiness: Callable[[], str],
        spool_bytes: int,
    ) -> None:
        on_disk = Room(spool_bytes)
        self._requests = Requests(application, on_disk)
        self._bodies = Bodies(self._admitted, on_disk, self._requests.files)
        self._files = files
        self._readiness = readiness
        self._probes = ThreadPoolExecutor(1, "probe")
        self._ready: asyncio.Future[str] | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        own = await self._own(scope)
        if own is None:
            try:
                body = await self._bodies.taken(scope, receive)
            except RefusedError as refusal:
                headers = _headers(scope, *refusal.headers)
                own = _Own(refusal.status, headers, refusal.content)
            except _AnsweredError as answered:
                for message in answered.messages:
                    await send(message)
                return
        if own is None:
            if body is not None:
                try:
                    await self._requests.answer(scope, body, send)
                finally:
                    body.close()
            return
        await self._send(scope, own, send)

    async def _own(self, scope: Message) -> _Own | None:
        path, method = scope["path"], scope["method"]
        if path in (LIVE, READY):
            if method not in _SAFE_METHODS:
                return _Own(405, _headers(scope, (b"allow", b"GET, HEAD")))
            reason = await self._reason() if path == READY else ""
            word, status = (b"Unhealthy", 503) if reason else (b"Healthy", 200)
            return _Own(status, _headers(scope, _TEXT, _NO_STORE), word)
        found = self._files.answer(path, method, scope["scheme"], scope["headers"])
        if found is None:
            return None
        return _Own(found.status, _headers(scope, *found.headers), file=found.file)

    async def _reason(self) -> str:
        """Return why the application is not ready; however many ask, one thread looks."""
        if self._ready is None or self._ready.done():
            loop = asyncio.get_running_loop()
            self._ready = loop.run_in_executor(self._probes, self._readiness)
        return await asyncio.shield(self._ready)

    async def _send(self, scope: Message, own: _Own, send: Send) -> None:
        begun, request_id = time.monotonic(), _request_id(scope)
        headers = [*own.headers, (HEADER.lower().encode(), request_id.encode())]
        if own.status != HTTPStatus.NOT_MODIFIED and not _told(headers, _LENGTH):
            headers.append((_LENGTH, str(len(own.content)).encode()))
        if has_body(scope):
            # It was not read, and what is left of it is no request.
            headers.append(_CLOSE)
        start = {"type": "http.response.start", "status": own.status}
        await send({**start, "headers": headers})
        sent = 0
        async for piece, more in self._pieces(own):
            body = {"type": "http.response.body", "body": piece, "more_body": more}
            await send(body)
            sent += len(piece)
            if scope["state"]["connection"].is_lost:
                break
        _log(scope, own, sent, request_id, time.monotonic() - begun)

    async def _pieces(self, own: _Own) -> AsyncIterator[tuple[bytes, bool]]:
        if own.file is None:
            yield own.content, False
            return
        loop, more = asyncio.get_running_loop(), True
        with own.file as file:
            while more:
                # A slow disk holds up nobody else.
                piece = await loop.run_in_executor(
                    self._requests.files, file.read, PIECE_BYTES
                )
                more = len(piece) == PIECE_BYTES
                yield piece, more

    async def _admitted(self, scope: Message) -> int:
        """Ask the application how large a body the caller may send, by the head alone.

        Raises _AnsweredError with its answer where it has one already.
        """
        if not any(name in _CREDENTIALS for name, _value in scope["headers"]):
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED, "A request as large as this needs a sign-in."
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
    """The end of a request that the application has answered by its head."""

    def __init__(self, messages: list[Message]) -> None:
        super().__init__()
        self.messages = messages


def _headers(scope: Message, *own: tuple[bytes, bytes]) -> Headers:
    return [*own, *common_headers(scope["scheme"])]


def _told(headers: Headers, wanted: bytes) -> bool:
    return any(name == wanted for name, _value in headers)


def _request_id(scope: Message) -> str:
    wanted = HEADER.lower().encode()
    given = (value for name, value in scope["headers"] if name == wanted)
    return chosen(next(given, b"").decode("latin-1") or None)


def _log(scope: Message, own: _Own, sent: int, request_id: str, seconds: float) -> None:
    client = scope.get("client")
    asked = b"?" + scope["query_string"] if scope["query_string"] else b""
    log_access(
        address=client[0] if client else "",
        method=scope["method"],
        target=(scope["raw_path"] + asked).decode("latin-1"),
        status=own.status,
        sent=sent,
        seconds=seconds,
        request_id=request_id,
    )
