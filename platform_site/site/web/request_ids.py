"""The id of each request: taken from `X-Request-ID` or made here, answered in the same
header, and told in every line of the log that the request leads to."""

from __future__ import annotations

import re
import uuid
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import LazyObject
from django.utils.log import log_response

from platform_site.log_context import log_context, logged_with
from platform_site.middleware import Middleware

HEADER: Final = "X-Request-ID"
# Nothing that a log, a header or a shell would read as anything but itself.
_SAFE: Final = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")


def chosen(given: str | None) -> str:
    """Return the id a request came with, if it can be used, or a new one."""
    if given is not None and _SAFE.fullmatch(given):
        return given
    return uuid.uuid4().hex


def current_request_id() -> str:
    """Return the id of the request being answered in this thread, or an empty text."""
    return log_context().request_id


class RequestIdMiddleware(Middleware):
    """The id of each request; the first middleware, so that every answer carries it."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request, with its id.

        The front that served it may have chosen one: it hands it on in the header.
        """
        request_id = chosen(request.headers.get(HEADER))
        with logged_with(
            request_id=request_id,
            address=str(request.META.get("REMOTE_ADDR") or ""),
            via="API" if request.path_info.lower().startswith("/api/") else "page",
            user_name=partial(known_user_name, request),
        ):
            response: Any = self._get_response(request)
            if response.status_code >= HTTPStatus.BAD_REQUEST:
                # Once for each answer, and Django itself would do so without the id.
                log_response(
                    "%s: %s",
                    response.reason_phrase,
                    request.path,
                    response=response,
                    request=request,
                )
        response.headers[HEADER] = request_id
        return response  # type: ignore[no-any-return]


def known_user_name(request: HttpRequest) -> str:
    """Return who sent a request as far as that is known by now, without looking it up."""
    user = vars(request).get("user")
    if isinstance(user, LazyObject):
        # Where Django's authentication keeps whom it has found.
        user = vars(request).get("_cached_user")
    return "" if user is None else str(user.get_username())
