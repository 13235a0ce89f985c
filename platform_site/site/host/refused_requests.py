"""The responses to requests that the server itself refuses."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Final

# Code and title as in `platform_site.site.api.problems`, which needs Django.
KINDS: Final = {
    HTTPStatus.UNAUTHORIZED: ("not-signed-in", "Not signed in"),
    HTTPStatus.REQUEST_TIMEOUT: ("too-slow", "The request was sent too slowly"),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("too-large", "The body is too large"),
    HTTPStatus.SERVICE_UNAVAILABLE: ("unavailable", "Temporarily unavailable"),
    HTTPStatus.INSUFFICIENT_STORAGE: (
        "out-of-space",
        "The server has no free disk space",
    ),
}
AGAIN_SECONDS: Final = 5


class RefusedError(Exception):
    """The refusal of a request; ``headers`` and ``content`` are its response."""

    def __init__(self, status: HTTPStatus, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.status = status.value
        code, title = KINDS[status]
        problem = {
            "type": f"/problems/{code}",
            "code": code,
            "title": title,
            "status": status.value,
            "detail": detail,
            **members,
        }
        self.content = json.dumps(problem).encode()
        self.headers = [(b"content-type", b"application/problem+json")]


def stopping() -> RefusedError:
    """Return the refusal of requests in progress when the server ends."""
    refusal = RefusedError(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "The server is being stopped. Send the request again in a while.",
    )
    refusal.headers.append((b"retry-after", str(AGAIN_SECONDS).encode()))
    return refusal
