"""The HTTP protocol of one connection, stricter than the library: requests that a proxy
could interpret differently, or that cost the server more than the client, are
refused."""

from __future__ import annotations

import re
from typing import Any, Final

import h11
from h11._receivebuffer import ReceiveBuffer

# Browsers send about twenty lines, and proxies add a few.
MOST_LINES: Final = 100
# Each chunk of a body takes the same effort, however small it is.
CHUNKS_SPARED: Final = 1000
LEAST_CHUNK_BYTES: Final = 32
_FOLDED: Final = re.compile(rb"[ \t]")


class Lines(ReceiveBuffer):
    """A buffer from which heads and trailers are read strictly.

    The library accepts a bare line feed as line end and joins folded lines. A proxy may
    interpret both differently, so that one request becomes two (RFC 9112, 2.2 and 5.2);
    both are refused.
    """

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """Return the lines of a complete head or trailer."""
        before = len(self)
        lines = super().maybe_extract_lines()
        if lines is None:
            return None
        taken = sum(len(line) + 2 for line in lines) + 2
        if before - len(self) != taken or any(map(_FOLDED.match, lines)):
            raise h11.LocalProtocolError("a bare line feed or a folded line")
        if len(lines) > MOST_LINES:
            raise h11.LocalProtocolError("too many lines")
        return lines


class StrictConnection(h11.Connection):
    """The requests and responses of one connection."""

    def __init__(self, role: type[h11.SERVER], most_bytes: int) -> None:
        super().__init__(role, most_bytes)
        self._receive_buffer = Lines()
        self._chunks = self._bytes = 0

    def next_event(self) -> Any:
        """Return the next event; raise RemoteProtocolError if it isn't accepted."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
            names = {name for name, _value in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                self._refuse("two lengths of one body")
        elif isinstance(event, h11.Data):
            self._chunks += 1
            self._bytes += len(event.data)
            spared = max(self._chunks - CHUNKS_SPARED, 0)
            if self._bytes < spared * LEAST_CHUNK_BYTES:
                self._refuse("many small chunks")
        return event

    def _refuse(self, why: str) -> None:
        self._process_error(self.their_role)
        raise h11.RemoteProtocolError(why)
