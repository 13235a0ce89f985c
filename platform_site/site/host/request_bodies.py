"""The buffering of request bodies before a thread is used: small ones from anybody,
larger ones if the application admits the caller, and within a time limit."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from http import HTTPStatus
from typing import IO, Any, Final

from platform_site.site.host.byte_budget import ByteBudget
from platform_site.site.host.connections import ClientConnection
from platform_site.site.host.refused_requests import RefusedError
from platform_site.site.host.response_bodies import ClientGoneError

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Admit = Callable[[Message], Awaitable[int]]

FROM_ANYBODY_BYTES: Final = 1 << 20
# As in other servers: an initial time, then a second per number of bytes.
FIRST_SECONDS: Final = 20
BYTES_PER_SECOND: Final = 4096
LONGEST_SECONDS: Final = 3600
_IN_MEMORY_BYTES: Final = 32 << 20
_AGAIN_SECONDS: Final = 0.05
_AGAIN_AT_MOST_SECONDS: Final = 0.8


class Bodies:
    """The bodies of all requests being received.

    The size allowed to anybody is held in memory, the rest in files under the data
    folder; both have a common limit.
    """

    def __init__(self, admit: Admit, on_disk: ByteBudget, files: Executor) -> None:
        self._admit = admit
        self._files = files
        self._in_memory = ByteBudget(_IN_MEMORY_BYTES)
        self._on_disk = on_disk

    @property
    def in_memory(self) -> ByteBudget:
        """Return the budget of what is held in memory."""
        return self._in_memory

    async def taken(self, scope: Message, receive: Receive) -> _Body | None:
        """Return the whole body of a request, None if the client has disconnected.

        Raise RefusedError with the response for a client that sends too much or too
        slowly. The body must be closed.
        """
        connection = scope["state"]["connection"]
        body = _Body(connection, self._in_memory, self._on_disk, self._files)
        if not has_body(scope):
            return body
        most = FROM_ANYBODY_BYTES
        try:
            if _announced(scope) > most:
                most = await self._admitted(scope, _announced(scope))
            async with asyncio.timeout(FIRST_SECONDS) as body.limit:
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientGoneError
                    piece = message.get("body", b"")
                    if body.moved + len(piece) > most:
                        most = await self._admitted(scope, body.moved + len(piece))
                    await body.write(piece)
                    if not message.get("more_body", False):
                        return await body.complete()
        except ClientGoneError:
            body.close()
            return None
        except TimeoutError:
            body.close()
            raise RefusedError(
                HTTPStatus.REQUEST_TIMEOUT,
                "The body of the request came too slowly. Send it again.",
            ) from None
        except BaseException:
            body.close()
            raise

    async def _admitted(self, scope: Message, size: int) -> int:
        most = min(await self._admit(scope), self._on_disk.most_of_one)
        if size > most:
            raise RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"The request is larger than {most:,} bytes, the most that is accepted "
                "here.",
                limit=most,
            )
        return most


class _Body:
    """One body, first in memory and then in a file."""

    def __init__(
        self,
        connection: ClientConnection,
        in_memory: ByteBudget,
        on_disk: ByteBudget,
        files: Executor,
    ) -> None:
        self._connection = connection
        self.address = connection.address
        self._begun = time.monotonic()
        self.moved = 0
        self.limit: asyncio.Timeout | None = None
        self._loop = asyncio.get_running_loop()
        self._rooms = (in_memory, on_disk)
        self._room = in_memory
        self._files = files
        in_memory_first = tempfile.SpooledTemporaryFile(FROM_ANYBODY_BYTES)  # noqa: SIM115 - closed by `close`
        self._file: IO[bytes] = in_memory_first
        self._complete = False

    def read(self, size: int = -1) -> bytes:
        """Return a number of bytes from the current position."""
        return self._file.read(size)

    def readline(self, size: int = -1) -> bytes:
        """Return a line, or a number of bytes of it."""
        return self._file.readline(size)

    def readlines(self, hint: int = -1) -> list[bytes]:
        """Return the remaining lines."""
        return self._file.readlines(hint)

    def __iter__(self) -> Any:
        return iter(self._file)

    async def write(self, piece: bytes) -> None:
        """Add a chunk once there is room for it, and give the client more time."""
        if self.moved + len(piece) > FROM_ANYBODY_BYTES and self._room is not (
            on_disk := self._rooms[1]
        ):
            await self._make_room(on_disk, self.moved)
            self._room.release(self)
            self._room = on_disk
        await self._make_room(self._room, len(piece))
        if self._room is self._rooms[1]:
            await self._loop.run_in_executor(self._files, self._file.write, piece)
        else:
            self._file.write(piece)
        self.moved += len(piece)
        if self.limit is not None and not self.limit.expired():
            seconds = FIRST_SECONDS + self.moved / BYTES_PER_SECOND
            self.limit.reschedule(
                self._loop.time()
                + self._begun
                + min(seconds, LONGEST_SECONDS)
                - time.monotonic()
            )

    async def complete(self) -> _Body:
        """Prepare for reading."""
        self._complete = True
        self._file.seek(0)
        return self

    def close(self) -> None:
        """Release memory and file."""
        self._complete = True
        for room in self._rooms:
            room.release(self)
        self._file.close()

    @property
    def waiting_since(self) -> float | None:
        """Return when the body began, None if it is complete."""
        return None if self._complete else self._begun

    def give_up(self) -> None:
        """Expire at once."""
        self._loop.call_soon_threadsafe(self._time_over)

    async def _make_room(self, room: ByteBudget, size: int) -> None:
        pause = _AGAIN_SECONDS
        while not room.take(self, size):
            if self._connection.is_lost:
                raise ClientGoneError
            await asyncio.sleep(pause)
            # A thousand waiting clients must not poll constantly.
            pause = min(2 * pause, _AGAIN_AT_MOST_SECONDS)

    def _time_over(self) -> None:
        if self.limit is not None and not self._complete:
            self.limit.reschedule(self._loop.time())


def has_body(scope: Message) -> bool:
    """Return whether a request announces a body."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )


def _announced(scope: Message) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:18])
    return 0
