"""The path `/metrics`: at the addresses of the site for those who have the key, or at an
address of its own. It needs no request thread, and has one thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final, Protocol

from platform_site.site.host.byte_budget import ByteBudget
from platform_site.site.host.request_bodies import Message, Receive
from platform_site.site.host.response_bodies import Headers, Send

METRICS: Final = "/metrics"
_SAFE_METHODS: Final = ("GET", "HEAD")
_PLAIN: Final = (b"content-type", b"text/plain; charset=utf-8")


@dataclass(frozen=True, slots=True)
class ServerFigures:
    """What the server is doing at one moment."""

    threads: int
    threads_busy: int
    requests_waiting: int
    connections: int
    budgets: Mapping[str, ByteBudget]


class MetricsSource(Protocol):
    """What knows the metrics and writes them."""

    def watch(self, figures: Callable[[], ServerFigures]) -> None:
        """Include the figures of the server."""

    def render(self, accepted: str) -> tuple[bytes, str]:
        """Return the metrics and their content type, as an Accept header asks."""


@dataclass(frozen=True, slots=True)
class MetricsResponse:
    """A response with metrics, or a refusal."""

    status: int
    headers: Headers
    content: bytes


class MetricsEndpoint:
    """The metrics as responses; `key` is empty at an address of its own."""

    def __init__(self, source: MetricsSource, key: str = "") -> None:
        self.source = source
        self._key = key.encode()
        self._thread = ThreadPoolExecutor(1, "metrics")

    async def answer(self, scope: Message, *, asks_key: bool) -> MetricsResponse | None:
        """Return the response, None if the metrics aren't served where it is asked."""
        if asks_key and not self._key:
            return None
        if scope["method"] not in _SAFE_METHODS:
            return MetricsResponse(405, [(b"allow", b"GET, HEAD")], b"")
        given = _header(scope, b"authorization")
        if asks_key and not compare_digest(given, b"Bearer " + self._key):
            headers = [_PLAIN, (b"www-authenticate", b'Bearer realm="metrics"')]
            text = b"Send Authorization: Bearer, with the Platform:Metrics:Key.\n"
            return MetricsResponse(401, headers, text)
        content, kind = await asyncio.get_running_loop().run_in_executor(
            self._thread,
            self.source.render,
            _header(scope, b"accept").decode("latin-1"),
        )
        headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store")]
        return MetricsResponse(200, headers, content)


class MetricsApplication:
    """The ASGI application of an address that serves nothing but the metrics."""

    def __init__(self, endpoint: MetricsEndpoint) -> None:
        self._endpoint = endpoint

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one request."""
        answer = None
        if scope["path"] == METRICS:
            answer = await self._endpoint.answer(scope, asks_key=False)
        if answer is None:
            text = b"The metrics are at /metrics.\n"
            answer = MetricsResponse(404, [_PLAIN], text)
        length = (b"content-length", str(len(answer.content)).encode())
        start = {"type": "http.response.start", "status": answer.status}
        await send({**start, "headers": [*answer.headers, length]})
        await send({"type": "http.response.body", "body": answer.content})


def _header(scope: Message, wanted: bytes) -> bytes:
    for name, value in scope["headers"]:
        if name == wanted:
            return bytes(value)
    return b""
