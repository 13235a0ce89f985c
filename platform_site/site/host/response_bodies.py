"""The buffering of responses: the request thread writes them here and is free; the
event loop sends them to the client, however slowly it reads."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import IO, Any, Final

from platform_site.site.host.byte_budget import ByteBudget
from platform_site.site.host.connections import ClientConnection

Send = Callable[[dict[str, Any]], Awaitable[None]]
Work = asyncio.Future[None]
Headers = list[tuple[bytes, bytes]]

IN_MEMORY_BYTES: Final = 256 << 10
PIECE_BYTES: Final = 64 << 10
LONGEST_SECONDS: Final = 3600
_AGAIN_SECONDS: Final = 0.05


class ClientGoneError(OSError):
    """The end of work for a client that has disconnected."""


class Answer:
    """One response: a small part in memory, the rest in a file."""

    def __init__(
        self, connection: ClientConnection, in_memory: ByteBudget, on_disk: ByteBudget
    ) -> None:
        self.status = 0
        self.headers: Headers = []
        self._connection = connection
        self.address = connection.address
        self._loop = asyncio.get_running_loop()
        self._in_memory, self._on_disk = in_memory, on_disk
        self._lock = threading.Lock()
        self._pieces: list[bytes] = []
        self._size = 0
        self._file: IO[bytes] | None = None
        # The written and the read bytes of the file.
        self._written = self._read = 0
        self._news = asyncio.Event()
        self._ended = False

    # In the thread that makes the answer

    @property
    def is_wanted(self) -> bool:
        """Return whether the client is still connected."""
        return not self._ended and not self._connection.is_lost

    def write(self, piece: bytes) -> None:
        """Add a chunk; raise ClientGoneError if the client has disconnected."""
        if not piece:
            return
        if not self.is_wanted:
            raise ClientGoneError
        self._size += len(piece)
        is_small = self._file is None and self._size <= IN_MEMORY_BYTES
        if is_small and self._in_memory.take(self, len(piece)):
            with self._lock:
                self._pieces.append(piece)
        else:
            for begin in range(0, len(piece), PIECE_BYTES):
                self._write_down(piece[begin : begin + PIECE_BYTES])
                # At once, because sending makes room for more.
                self._loop.call_soon_threadsafe(self._news.set)
            return
        if self._size > PIECE_BYTES:
            # Smaller responses are sent as a whole, without synchronisation.
            self._loop.call_soon_threadsafe(self._news.set)

    def put_file(self, file: IO[bytes]) -> None:
        """Send the rest of an existing file as the remaining content."""
        with self._lock:
            self._file, self._written = file, -1

    def _write_down(self, piece: bytes) -> None:
        while not self._on_disk.take(self, len(piece)):
            if not self.is_wanted:
                raise ClientGoneError
            time.sleep(_AGAIN_SECONDS)
        with self._lock:
            if self._ended:
                raise ClientGoneError
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
            self._file.seek(self._written)
            self._file.write(piece)
            self._written += len(piece)

    # In the event loop

    async def send(self, send: Send, work: Work, files: Executor) -> None:
        """Send the response while `work` makes it."""
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                await self._send(send, work, files)
        except TimeoutError:
            self._connection.abort()

    async def _send(self, send: Send, work: Work, files: Executor) -> None:
        work.add_done_callback(lambda _work: self._news.set())
        await self._wait(work)
        _is_over(work)
        start = {"type": "http.response.start", "status": self.status}
        await send({**start, "headers": self.headers})
        more = True
        while more:
            await self._wait(work)
            # Before the chunk is taken, since later writes aren't in it.
            more = not _is_over(work)
            piece, rest = await self._next(files)
            more = more or rest
            for begin in range(0, len(piece) or 1, PIECE_BYTES):
                part = piece[begin : begin + PIECE_BYTES]
                last = begin + PIECE_BYTES >= len(piece)
                body = {"type": "http.response.body", "body": part}
                await send({**body, "more_body": more or not last})
            more = more and not self._connection.is_lost

    def end(self) -> None:
        """Release memory and file."""
        with self._lock:
            self._ended = True
            if self._file is not None:
                self._file.close()
        self._in_memory.release(self)
        self._on_disk.release(self)

    @property
    def waiting_since(self) -> float | None:
        """Return since when the client has read nothing, None if it reads."""
        return self._connection.waiting_since

    def give_up(self) -> None:
        """End the connection."""
        self._loop.call_soon_threadsafe(self._connection.abort)

    async def _wait(self, work: Work) -> None:
        if _is_over(work) or self._pieces or self._written not in (0, self._read):
            return
        await self._news.wait()
        self._news.clear()

    async def _next(self, files: Executor) -> tuple[bytes, bool]:
        """Return what can be sent, and whether there is more."""
        with self._lock:
            pieces, self._pieces = self._pieces, []
            file = self._file
        if pieces:
            return b"".join(pieces), file is not None
        if file is None:
            return b"", False
        return await self._loop.run_in_executor(files, self._from_file, file)

    def _from_file(self, file: IO[bytes]) -> tuple[bytes, bool]:
        with self._lock:
            if self._ended:
                return b"", False
            if self._written < 0:
                piece = file.read(PIECE_BYTES)
                return piece, len(piece) == PIECE_BYTES
            file.seek(self._read)
            piece = file.read(PIECE_BYTES)
            self._read += len(piece)
            if self._read < self._written:
                return piece, True
            # Everything written has been sent, so its space can be reused.
            file.truncate(0)
            self._read = self._written = 0
        self._on_disk.release(self)
        return piece, False


def _is_over(work: Work) -> bool:
    if work.done():
        # Raise an error here, since a partial response must not look complete.
        work.result()
    return work.done()
