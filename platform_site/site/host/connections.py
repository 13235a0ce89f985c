"""The client connections: refusals of malformed requests, timeouts for silent clients,
and closing so that the last response arrives."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Callable, Collection
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from platform_site.site.host.http_protocol import StrictConnection
from platform_site.site.web.access_log import NOBODY, log_access
from platform_site.site.web.request_ids import HEADER, chosen

HEAD_SECONDS: Final = 30
# For each chunk of a response (64 KB), which also defines a minimum speed.
PIECE_SECONDS: Final = 20
# A client that is still sending when it is refused reads the response afterwards.
LINGER_SECONDS: Final = 10
LINGER_BYTES: Final = 64 << 20
MOST_CONNECTIONS: Final = 2000
MOST_HEAD_BYTES: Final = 64 << 10
# Several of the busiest address are ended at once, since the search takes time.
_PART_THAT_GOES: Final = 20
logger = logging.getLogger("platform.host")


class _Limit:
    """A timer that calls a function unless it is stopped."""

    def __init__(self, loop: asyncio.AbstractEventLoop, over: Callable[[], None]):
        self._loop = loop
        self._over = over
        self._timer: asyncio.TimerHandle | None = None

    def start(self, seconds: float) -> None:
        """Start or continue the timer."""
        if self._timer is None:
            self._timer = self._loop.call_later(seconds, self._over)

    def stop(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _GentlyClosed:
    """A transport that its connection closes in its own way."""

    def __init__(
        self, transport: asyncio.Transport, connection: ClientConnection
    ) -> None:
        self._transport = transport
        self._connection = connection
        self.write = transport.write

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        """Close once the client has had time to read."""
        self._connection.close()

    def is_closing(self) -> bool:
        """Return whether nothing more will be sent."""
        return self._connection.is_lingering or self._transport.is_closing()


class ClientConnection(H11Protocol):
    """A client's connection with timeouts in every state.

    The library itself waits forever after the first byte of a request.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn = StrictConnection(h11.SERVER, MOST_HEAD_BYTES)
        # The application gets its connection from the scope.
        self.app_state = {**self.app_state, "connection": self}
        self.begun = time.monotonic()
        self.is_lingering = False
        self.is_lost = False
        self._waiting_since: float | None = None
        self._left = LINGER_BYTES
        self._head = _Limit(self.loop, self.abort)
        self._piece = _Limit(self.loop, self.abort)
        self._linger = _Limit(self.loop, self.abort)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in the library
        """Start waiting for a request; end another connection if there are too many."""
        super().connection_made(_GentlyClosed(transport, self))  # type: ignore[arg-type] # it is one in all but name
        self._transport = transport
        # Data that was passed on is then in the client's system, not here. (With TLS a
        # limit of 0 would hold back even that.)
        transport.set_write_buffer_limits(1, 0)
        self._wait()
        if len(self.connections) > MOST_CONNECTIONS:
            end_some(self.connections)

    def data_received(self, data: bytes) -> None:
        """Process data, and wait for the rest."""
        if self.is_lingering:
            self._left -= len(data)
            if self._left < 0:
                self.abort()
            return
        super().data_received(data)
        self._wait()

    def on_response_complete(self) -> None:
        """Wait for the next request, no longer than the library does."""
        super().on_response_complete()
        self._wait()

    def pause_writing(self) -> None:
        """Start waiting until the client reads more."""
        super().pause_writing()
        self._piece.start(PIECE_SECONDS)
        self._waiting_since = time.monotonic()

    def resume_writing(self) -> None:
        """Continue writing."""
        super().resume_writing()
        self._piece.stop()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self.is_lost = True
        super().connection_lost(exc)
        for limit in (self._head, self._piece, self._linger):
            limit.stop()

    def abort(self) -> None:
        """End at once, whatever is in progress."""
        self._transport.abort()

    def close(self) -> None:
        """Close; if the client is still sending, only after it has read the response.

        Closing with unread data would reset the connection and discard the response.
        """
        if self.is_lingering:
            return
        if self.conn.their_state not in (h11.SEND_BODY, h11.ERROR):
            self._transport.close()
            return
        self.is_lingering = True
        self._head.stop()
        self._linger.start(LINGER_SECONDS)
        self._waiting_since = time.monotonic()
        with contextlib.suppress(OSError):  # the client has reset it
            if self._transport.can_write_eof():
                self._transport.write_eof()
        self.flow.resume_reading()

    @property
    def waiting_since(self) -> float | None:
        """Return since when the server waits for the client, None if it doesn't."""
        return self._waiting_since

    @property
    def address(self) -> str:
        """Return the client's address, as reported by a trusted proxy."""
        scope: Any = self.scope  # none before the first request
        client = scope["client"] if scope else self.client
        return client[0] if client else ""

    def send_400_response(self, msg: str) -> None:
        """Refuse an invalid request, unless a response to it has already started."""
        request_id = chosen(None)
        logger.warning("%s From %s.", msg, self.address or NOBODY)
        cycle: Any = self.cycle  # none before the first request
        if cycle and not cycle.response_complete:
            # The client has gone; end the response in progress.
            cycle.disconnected = True
            cycle.message_event.set()
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        content = msg.encode()
        headers = [
            (b"Content-Type", b"text/plain; charset=utf-8"),
            (b"Content-Length", str(len(content)).encode()),
            (b"X-Content-Type-Options", b"nosniff"),
            (HEADER.encode(), request_id.encode()),
            (b"Connection", b"close"),
        ]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=content),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        log_access(
            address=self.address,
            method=NOBODY,
            target=NOBODY,
            status=400,
            sent=len(content),
            seconds=0,
            request_id=request_id,
        )
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Do nothing: upgrade requests are ignored."""

    def _wait(self) -> None:
        if self.is_lingering:
            return
        state = self.conn.their_state
        if state is h11.IDLE:
            # Not restarted by each byte, or slow clients would never time out.
            self._head.start(HEAD_SECONDS)
        else:
            self._head.stop()
        if state not in (h11.IDLE, h11.SEND_BODY):
            self._waiting_since = None
        elif self._waiting_since is None:
            self._waiting_since = time.monotonic()


def end_some(connections: Collection[Any]) -> None:
    """End some connections of the address with the most: first those waited for
    longest, otherwise the newest."""
    of_address: dict[str, list[ClientConnection]] = {}
    for each in connections:
        of_address.setdefault(each.address, []).append(each)
    busiest = max(of_address.values(), key=len)
    busiest.sort(key=lambda each: (each.waiting_since or math.inf, -each.begun))
    for each in busiest[: max(len(busiest) // _PART_THAT_GOES, 1)]:
        each.abort()
