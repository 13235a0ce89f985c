"""The pages of errors: what happened, a way on, and the request id, by which the log entry
can be found. People who are signed in keep the menu; failures of the server have a plain
page, which needs neither the database nor the session."""

from __future__ import annotations

import logging
import sys
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.urls import reverse
from django.utils.translation import gettext as _

from platform_site.accounts.models import User
from platform_site.accounts.services import administrators_to_ask
from platform_site.database.failures import Failure, failure_of, log_failure
from platform_site.records.missing_rows import NoSuchRow
from platform_site.site.api.errors import problem_of
from platform_site.site.api.middleware import is_api
from platform_site.site.api.problems import AGAIN_SECONDS
from platform_site.site.web.error_texts import (
    ERROR_TEXTS,
    FORM_NOT_ACCEPTED,
    MAINTENANCE,
    ErrorText,
)
from platform_site.site.web.request_ids import current_request_id

logger = logging.getLogger("platform.host")
_STATUS: Final = {
    Failure.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    Failure.OUT_OF_SPACE: HTTPStatus.INSUFFICIENT_STORAGE,
    Failure.STORAGE: HTTPStatus.SERVICE_UNAVAILABLE,
}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the response for a malformed request, as Django's ``handler400``."""
    return _in_shell(request, HTTPStatus.BAD_REQUEST)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the response for a missing right, as Django's ``handler403``."""
    again = urlencode({"next": request.get_full_path()})
    login = f"{reverse('admin:login')}?{again}"
    return _in_shell(
        request,
        HTTPStatus.FORBIDDEN,
        advice=str(exception),
        links=[(_("Sign in with another account"), login)],
    )


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the response for an unknown address or a missing row, as Django's
    ``handler404``."""
    advice, links = "", []
    if isinstance(exception, NoSuchRow):
        advice = str(exception)
        links = [(exception.list_title, exception.list_url)]
    return _in_shell(request, HTTPStatus.NOT_FOUND, advice=advice, links=links)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the response for a form without a valid token, as Django's
    ``CSRF_FAILURE_VIEW``."""
    return _in_shell(
        request,
        HTTPStatus.FORBIDDEN,
        text=FORM_NOT_ACCEPTED,
        links=[(_("Load the page again"), request.get_full_path())],
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the response for an exception in a view or middleware, as Django's
    ``handler500``: an explanation if the database, the storage of files or a
    disk is the reason."""
    error = sys.exc_info()[1]
    failure = failure_of(error)
    if error is None or failure is None:
        return _plain(HTTPStatus.INTERNAL_SERVER_ERROR)
    is_for_a_program = is_api(request.path_info)
    answer = problem_of(failure) if is_for_a_program else _page_of(failure)
    log_failure(failure, error, request, answer)
    return answer


def _page_of(failure: Failure) -> HttpResponse:
    status = _STATUS[failure]
    # Otherwise the page speaks of the database.
    advice = failure.sentence if failure is Failure.STORAGE else ""
    return _plain(status, _said(status, advice=advice))


def maintenance_page(text: str) -> HttpResponse:
    """Return the page that is shown instead of others during a maintenance."""
    said = _said(HTTPStatus.SERVICE_UNAVAILABLE, MAINTENANCE, text)
    return _plain(HTTPStatus.SERVICE_UNAVAILABLE, said)


def _in_shell(
    request: HttpRequest,
    status: HTTPStatus,
    *,
    text: ErrorText | None = None,
    advice: str = "",
    links: list[tuple[str, str]] | None = None,
) -> HttpResponse:
    """Return the page with the menu for people who are signed in, else the plain one."""
    said = _said(status, text, advice)
    # The middleware of the API makes a problem of it.
    if is_api(request.path_info):
        return _plain(status, said)
    try:
        user = getattr(request, "user", None)
        if not isinstance(user, User) or not user.is_staff:
            return _plain(status, said)
        context = {
            **admin.site.each_context(request),
            **said,
            "title": said["heading"],
            "links": links or [],
            "ask": administrators_to_ask(user),
        }
        page = loader.get_template("error_in_shell.html")
        return HttpResponse(page.render(context, request), status=status)
    except Exception:  # an error page must not fail because of its surroundings
        logger.exception("The page of an error can't be shown with the menu.")
        return _plain(status, said)


def _plain(status: HTTPStatus, said: dict[str, Any] | None = None) -> HttpResponse:
    # Rendered without the request, which may be the cause of the failure.
    page = loader.get_template("error.html").render(said or _said(status))
    again = status is HTTPStatus.SERVICE_UNAVAILABLE
    headers = {"Retry-After": str(AGAIN_SECONDS)} if again else {}
    return HttpResponse(page, status=status, headers=headers)


def _said(
    status: HTTPStatus, text: ErrorText | None = None, advice: str = ""
) -> dict[str, Any]:
    chosen = text or ERROR_TEXTS[status]
    return {
        "status": status.value,
        "heading": chosen.heading,
        "advice": advice or chosen.advice,
        "request_id": current_request_id(),
    }
