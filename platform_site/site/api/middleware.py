"""The middleware of `/api`: it corrects the spelling of paths, and turns refusals from
outside of views into problems."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.log import log_response
from django.utils.translation import gettext as _

from platform_site.middleware import Middleware
from platform_site.site.api.canonical_paths import canonical
from platform_site.site.api.problems import MEDIA_TYPE, code_of_status, problem

PREFIX: Final = "/api"
# The logger of Django's refusals of foreign hosts.
security = logging.getLogger("django.security.DisallowedHost")


class ApiMiddleware(Middleware):
    """A middleware that accepts paths in lower case or with a trailing slash
    (OPEN-56)."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Handle the request; return refusals as problems."""
        if not is_api(request.path_info):
            return self._get_response(request)
        try:
            request.get_host()
        except DisallowedHost as refusal:
            detail = _("This site doesn't serve the host name of the request.")
            answer = problem("invalid", detail)
            log_response(
                str(refusal), response=answer, request=request, logger=security
            )
            return answer
        request.path_info = canonical(request.path_info)
        # Links in responses are made from this path.
        request.path = request.META.get("SCRIPT_NAME", "") + request.path_info
        answer = _acceptable(request, self._get_response(request))
        return _finished(_described(request, answer))

    def process_exception(self, request: HttpRequest, exception: Exception) -> None:
        """Keep the exception for developers; others find it in the log."""
        if settings.DEBUG:
            request.failure = exception  # type: ignore[attr-defined]


def is_api(path: str) -> bool:
    """Return whether a path belongs to the API."""
    return path.lower() == PREFIX or path.lower().startswith(f"{PREFIX}/")


def _acceptable(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Return a problem instead of an answer that the caller can't read.

    What a write has done can't be refused any more, so it is always answered.
    """
    accepted = request.headers.get("Accept", "*/*")
    kind = answer.get("Content-Type", "").partition(";")[0]
    # Who reads JSON reads a kind of it as well.
    kinds = (kind, "application/json") if kind.endswith("+json") else (kind,)
    if (
        request.method not in ("GET", "HEAD")
        or answer.status_code != HTTPStatus.OK
        or "*/*" in accepted
        or any(map(request.accepts, kinds))
    ):
        return answer
    # It isn't closed, which would end the request; its file goes with it.
    detail = _("The response is %(kind)s, which the header Accept doesn't list.")
    return problem("not-acceptable", detail % {"kind": kind})


def _finished(answer: HttpResponse) -> HttpResponse:
    # Only the caller may keep an answer, and asks again whether it is still the same.
    answer.headers.setdefault("Cache-Control", "private, no-cache")
    if answer.status_code == HTTPStatus.NOT_MODIFIED:
        # Otherwise it would be the length of the answer that the client has.
        answer.headers.pop("Content-Length", None)
    return answer


def _described(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    kind = answer.get("Content-Type", "").partition(";")[0]
    if answer.status_code < HTTPStatus.BAD_REQUEST or kind == MEDIA_TYPE:
        return answer
    kept = {k: v for k, v in answer.items() if k in ("Allow", "Retry-After", "Vary")}
    code = code_of_status(answer.status_code)
    return problem(code, _detail(request, answer), headers=kept)


def _detail(request: HttpRequest, answer: HttpResponse) -> str:
    failure = getattr(request, "failure", None)
    if failure is not None:
        return f"{type(failure).__name__}: {failure}"
    return {
        HTTPStatus.BAD_REQUEST: _("The request could not be understood."),
        HTTPStatus.FORBIDDEN: _("The request was refused."),
        HTTPStatus.NOT_FOUND: _("There is nothing at this path."),
    }.get(
        HTTPStatus(answer.status_code),
        _(
            "The server failed, and nothing was changed; see the server "
            "log for the reason."
        ),
    )
