"""The connections to clients: what is refused of their requests' form, how long a silent
client is waited for, and how a connection ends so that the last answer arrives."""

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
# For each piece of an answer (64 KB), so it is the least speed of a reader as well.
PIECE_SECONDS: Final = 20
# A client that is still sending when it is refused reads the answer only afterwards.
LINGER_SECONDS: Final = 10
LINGER_BYTES: Final = 64 << 20
MOST_CONNECTIONS: Final = 2000
MOST_HEAD_BYTES: Final = 64 << 10
# So many of the busiest address go at once, for looking for it takes time as well.
_PART_THAT_GOES: Final = 20
logger = logging.getLogger("platform.host")


class _Limit:
    """What happens when its time is over, unless it is stopped before."""

    def __init__(self, loop: asyncio.AbstractEventLoop, over: Callable[[], None]):
        self._loop = loop
        self._over = over
        self._timer: asyncio.TimerHandle | None = None

    def start(self, seconds: float) -> None:
        """Begin to count, or go on counting."""
        if self._timer is None:
            self._timer = self._loop.call_later(seconds, self._over)

    def stop(self) -> None:
        """Forget what was counted."""
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
        """Close once the client can have read what was sent."""
        self._connection.close()

    def is_closing(self) -> bool:
        """Return whether anything more will be sent."""
        return self._connection.is_lingering or self._transport.is_closing()


class ClientConnection(H11Protocol):
    """One client's connection, which waits for nobody without an end.

    The library itself waits for ever once the first byte of a request is there.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn = StrictConnection(h11.SERVER, MOST_HEAD_BYTES)
        # The application finds its connection in the scope.
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
        """Begin to wait for a request; where there are too many, one has to go."""
        super().connection_made(_GentlyClosed(transport, self))  # type: ignore[arg-type] # it is one in all but name
        self._transport = transport
        # What was handed over is then with the client's system, not with us.
        # (Over TLS, a limit of 0 would hold back even what is sent.)
        transport.set_write_buffer_limits(1, 0)
        self._wait()
        if len(self.connections) > MOST_CONNECTIONS:
            end_some(self.connections)

    def data_received(self, data: bytes) -> None:
        """Take what came, and wait for what is still missing."""
        if self.is_lingering:
            self._left -= len(data)
            if self._left < 0:
                self.abort()
            return
        super().data_received(data)
        self._wait()

    def on_response_complete(self) -> None:
        """Wait for the next request, no longer than the library's own limit."""
        super().on_response_complete()
        self._wait()

    def pause_writing(self) -> None:
        """Begin to wait until the client takes more of the answer."""
        super().pause_writing()
        self._piece.start(PIECE_SECONDS)
        self._waiting_since = time.monotonic()

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        self._piece.stop()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self.is_lost = True
        super().connection_lost(exc)
        for limit in (self._head, self._piece, self._linger):
            limit.stop()

    def abort(self) -> None:
        """End at once, whatever is on its way."""
        self._transport.abort()

    def close(self) -> None:
        """Close; while the client still sends, only when it has read the answer.

        Closing with unread bytes would reset the connection, and the answer with it.
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
        with contextlib.suppress(OSError):  # the client has reset it meanwhile
            if self._transport.can_write_eof():
                self._transport.write_eof()
        self.flow.resume_reading()

    @property
    def waiting_since(self) -> float | None:
        """Return since when the client is waited for, None while it waits for us."""
        return self._waiting_since

    @property
    def address(self) -> str:
        """Return the client's address, as a trusted proxy tells it."""
        scope: Any = self.scope  # none before the first request
        client = scope["client"] if scope else self.client
        return client[0] if client else ""

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, unless an answer to it is on its way already."""
        request_id = chosen(None)
        logger.warning("%s From %s.", msg, self.address or NOBODY)
        cycle: Any = self.cycle  # none before the first request
        if cycle and not cycle.response_complete:
            # Nobody waits for the answer that is being made.
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
        """Say nothing: a client that asks for another protocol gets this one."""

    def _wait(self) -> None:
        if self.is_lingering:
            return
        state = self.conn.their_state
        if state is h11.IDLE:
            # Not from the last byte on: a byte now and then would never end.
            self._head.start(HEAD_SECONDS)
        else:
            self._head.stop()
        if state not in (h11.IDLE, h11.SEND_BODY):
            self._waiting_since = None
        elif self._waiting_since is None:
            self._waiting_since = time.monotonic()


def end_some(connections: Collection[Any]) -> None:
    """End some connections of the address that has most of them: first those that have
    been waited for longest, and where it is waited for none, the newest."""
    of_address: dict[str, list[ClientConnection]] = {}
    for each in connections:
        of_address.setdefault(each.address, []).append(each)
    busiest = max(of_address.values(), key=len)
    busiest.sort(key=lambda each: (each.waiting_since or math.inf, -each.begun))
    for each in busiest[: max(len(busiest) // _PART_THAT_GOES, 1)]:
        each.abort()
