"""Calls of the platform's own API on behalf of an agent.

They go through all of Django, in this thread, so that rights, validation, limits and
problems are those of the API. Changes in them have the origin MCP agent.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from platform_site.accounts.api_keys import recognised
from platform_site.accounts.models import User
from platform_site.changes.context import ChangeOrigin, acting_as
from platform_site.site.api.urls import BASE

# What a call inside has in common with the request outside: its place and connection.
_KEPT: Final = (
    "HTTP_ACCEPT_LANGUAGE",
    "HTTP_FORWARDED",
    "HTTP_HOST",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_REQUEST_ID",
    "HTTP_X_TIME_ZONE",
    "REMOTE_ADDR",
    "SCRIPT_NAME",
    "SERVER_NAME",
    "SERVER_PORT",
    "SERVER_PROTOCOL",
    "wsgi.errors",
    "wsgi.url_scheme",
)


class ApiRefused(Exception):
    """A refusal of the API, as its problem."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self.problem = problem
        super().__init__(str(problem.get("detail") or problem.get("title")))


class ApiCaller:
    """Calls the API with an API key, from the address of an agent."""

    def __init__(self, environ: Mapping[str, Any], key: str) -> None:
        self._environ = {name: environ[name] for name in _KEPT if name in environ}
        self._environ["HTTP_X_API_KEY"] = self._key = key

    @property
    def user(self) -> User:
        """Return the user of the key; raise ApiRefused if it is no longer valid."""
        key = recognised(self._key)
        if key is None:
            detail = _("The API key is no longer valid. Ask for a new one.")
            raise ApiRefused({"code": "not-signed-in", "detail": detail})
        return key.user

    def get(self, *path: object, **query: Any) -> Any:
        """Return what the API has at a path, given in parts."""
        return self.answer(self.request("GET", *path, query=query))

    def find(self, *path: object, **query: Any) -> Any | None:
        """Return what the API has at a path, None if the key may not read it or nothing
        is there."""
        try:
            return self.get(*path, **query)
        except ApiRefused as refused:
            if refused.problem.get("code") in ("not-allowed", "not-found"):
                return None
            raise

    def send_file(self, *path: object, file: bytes, **fields: str) -> Any:
        """Post a form with a file, and return the response."""
        boundary = uuid4().hex
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
            f"{value}\r\n".encode()
            for name, value in fields.items()
        ]
        head = (
            f"--{boundary}\r\nContent-Disposition: form-data; "
            'name="file"; filename="package.json"\r\n'
            "Content-Type: application/json\r\n\r\n"
        )
        body = b"".join(
            [*parts, head.encode(), file, f"\r\n--{boundary}--\r\n".encode()]
        )
        kind = f"multipart/form-data; boundary={boundary}"
        return self.answer(self.request("POST", *path, body=body, content_type=kind))

    def request(
        self,
        method: str,
        *path: object,
        query: Mapping[str, Any] | None = None,
        body: bytes = b"",
        content_type: str = "",
    ) -> HttpRequest:
        """Return a request to the API."""
        parts = (quote(str(part), safe="") for part in path)
        return WSGIRequest(
            {
                "SERVER_PROTOCOL": "HTTP/1.1",
                **self._environ,
                "REQUEST_METHOD": method,
                "PATH_INFO": f"/{BASE}{'/'.join(parts)}",
                "QUERY_STRING": urlencode(query or {}),
                "CONTENT_TYPE": content_type,
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_ACCEPT": "application/json",
                "wsgi.input": io.BytesIO(body),
            }
        )

    def address(self, page: str) -> str:
        """Return the URL of a page."""
        return self.request("GET").build_absolute_uri(page)

    def answer(self, request: HttpRequest) -> Any:
        """Return what the API answers; raise ApiRefused with its problem."""
        with acting_as(None, ChangeOrigin.MCP_AGENT):
            # It is not closed: that would end the request outside too.
            response = _handler()(request)
        content = json.loads(_content(response) or b"null")
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise ApiRefused(content)
        return content


@cache
def _handler() -> Callable[[HttpRequest], HttpResponseBase]:
    handler = BaseHandler()
    handler.load_middleware()
    return handler.get_response


def _content(response: HttpResponseBase) -> bytes:
    content: Any = getattr(response, "streaming_content", None)
    if content is not None:
        return b"".join(content)
    return bytes(getattr(response, "content", b""))
