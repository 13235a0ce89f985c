"""The id of each request: taken from `X-Request-ID` or generated, returned in the same
header, and added to every log line of the request."""

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
from platform_site.middleware import Middleware, is_foreseen

HEADER: Final = "X-Request-ID"
# Only characters without special meaning in logs, headers and shells.
_SAFE: Final = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")


def chosen(given: str | None) -> str:
    """Return the id of the request if it is acceptable, otherwise a new one."""
    if given is not None and _SAFE.fullmatch(given):
        return given
    return uuid.uuid4().hex


def current_request_id() -> str:
    """Return the id of the request handled in this thread, or an empty text."""
    return log_context().request_id


class RequestIdMiddleware(Middleware):
    """The id of each request; the first middleware, so that every response has it."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Handle the request with its id.

        The front may have chosen the id and passes it on in the header.
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
                # Once per response; Django itself would log it without the id.
                log_response(
                    "%s: %s",
                    response.reason_phrase,
                    request.path,
                    response=response,
                    request=request,
                    level="info" if is_foreseen(response) else None,
                )
        response.headers[HEADER] = request_id
        return response  # type: ignore[no-any-return]


def known_user_name(request: HttpRequest) -> str:
    """Return the user name of a request as far as it is known, without a query."""
    user = vars(request).get("user")
    if isinstance(user, LazyObject):
        # The attribute in which Django's authentication caches the user.
        user = vars(request).get("_cached_user")
    return "" if user is None else str(user.get_username())
