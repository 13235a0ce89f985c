"""How long the server waits for a client: for the rest of a request, and for an answer to
be taken. A client that is silent holds a connection for a while, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

HEAD_SECONDS: Final = 30
BODY_SECONDS: Final = 60
ANSWER_SECONDS: Final = 120


class _Limit:
    """End a connection when its time is over, unless stopped before."""

    def __init__(self, protocol: H11Protocol, seconds: float) -> None:
        self._protocol = protocol
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to count, or go on counting."""
        if self._timer is None:
            abort = self._protocol.transport.abort
            self._timer = self._protocol.loop.call_later(self._seconds, abort)

    def stop(self) -> None:
        """Forget what was counted."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class PatientProtocol(H11Protocol):
    """End connections whose other side has stopped half-way.

    The library itself waits for ever once the first byte of a request is there.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head = _Limit(self, HEAD_SECONDS)
        self._body = _Limit(self, BODY_SECONDS)
        self._answer = _Limit(self, ANSWER_SECONDS)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in the library
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what came, and wait for what is still missing."""
        super().data_received(data)
        self._wait()

    def on_response_complete(self) -> None:
        """Wait for the next request, no longer than the library's own limit."""
        super().on_response_complete()
        self._wait()

    def pause_writing(self) -> None:
        """Begin to wait until the client takes more of the answer."""
        super().pause_writing()
        self._answer.start()

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        self._answer.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        for limit in (self._head, self._body, self._answer):
            limit.stop()

    def _wait(self) -> None:
        state = self.conn.their_state
        if state is h11.IDLE:
            # Not from the last byte on: a byte now and then would never end.
            self._head.start()
        else:
            self._head.stop()
        self._body.stop()
        if state is h11.SEND_BODY:
            self._body.start()
