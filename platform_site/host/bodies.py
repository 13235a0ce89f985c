"""Takes in the body of a request before one of the few threads is spent on it, so that
slow senders cannot hold them all; what is larger than anything allowed is refused."""

from __future__ import annotations

import json
import logging
import tempfile
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import IO

    from platform_site.settings.effective import Settings

    Message = dict[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Application = Callable[[Any, Any, Any], Awaitable[None]]

logger = logging.getLogger("platform.host")
_IN_MEMORY_BYTES: Final = 1 << 20
_PIECE_BYTES: Final = 1 << 16
# Room for the form around an uploaded file.
_AROUND_BYTES: Final = 1 << 20
# As in `platform_site.api.problems`, which needs Django.
_CODES: Final = {
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too-large",
    HTTPStatus.INSUFFICIENT_STORAGE: "out-of-space",
}


class _RefusedError(Exception):
    """Say why a request is not handed on."""

    def __init__(self, status: HTTPStatus, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.members = members


def largest_body(settings: Settings) -> int:
    """Return the bytes of the largest request that any setting allows."""
    allowed = [
        one.value
        for one in settings.all_effective()
        if one.key.endswith("SizeBytes") and isinstance(one.value, int)
    ]
    return max(allowed) + _AROUND_BYTES


class WholeBodies:
    """Hand a request on when all of it is there."""

    def __init__(self, application: Application, most_bytes: int) -> None:
        self._application = application
        self._most = most_bytes

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Take the body in, then have the request answered."""
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as body:
            try:
                complete = await self._take(scope, receive, body)
            except _RefusedError as refusal:
                await _answer(send, refusal)
                return
            except OSError as error:
                logger.error("A request's body cannot be kept: %s.", error)
                full = HTTPStatus.INSUFFICIENT_STORAGE
                await _answer(send, _RefusedError(full, "The server has no room."))
                return
            if complete:
                await self._application(scope, _replay(body), send)

    async def _take(self, scope: Message, receive: Receive, body: IO[bytes]) -> bool:
        """Write the body to the file; return false when the client has gone."""
        size = _announced(scope)
        while True:
            if size > self._most:
                raise _RefusedError(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    f"The request is larger than {self._most:,} bytes, the most that "
                    "is taken.",
                    limit=self._most,
                )
            message = await receive()
            if message["type"] == "http.disconnect":
                return False
            body.write(message.get("body", b""))
            size = body.tell()
            if not message.get("more_body", False):
                body.seek(0)
                return True


def _replay(body: IO[bytes]) -> Receive:
    async def receive() -> Message:
        piece = body.read(_PIECE_BYTES)
        return {
            "type": "http.request",
            "body": piece,
            "more_body": len(piece) == _PIECE_BYTES,
        }

    return receive


def _announced(scope: Message) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:18])
    return 0


async def _answer(send: Send, refusal: _RefusedError) -> None:
    """Answer with a problem and close, for the rest of the body is on its way."""
    code = _CODES[refusal.status]
    problem = {
        "type": f"/problems/{code}",
        "code": code,
        "title": refusal.status.phrase,
        "status": refusal.status.value,
        "detail": str(refusal),
        **refusal.members,
    }
    content = json.dumps(problem).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(content)).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"connection", b"close"),
    ]
    status = refusal.status.value
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
