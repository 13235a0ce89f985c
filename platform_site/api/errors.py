"""Turns whatever goes wrong under `/api` into `application/problem+json` (RFC 9457),
with a sentence for the caller; the reasons of failures go to the log alone."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import OperationalError
from django.http import Http404, HttpResponse, JsonResponse
from django.http.request import UnreadablePostError
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.serializers import as_serializer_error
from rest_framework.views import set_rollback

from importer.serializers import flatten
from platform_site.records.errors import (
    InUse,
    LimitReached,
    NotAllowed,
    Problem,
    Refusal,
    Stale,
)

MEDIA_TYPE: Final = "application/problem+json"
_AGAIN_SECONDS: Final = "5"
logger = logging.getLogger("platform.api")


def problem(
    status: int,
    detail: str,
    *,
    errors: Mapping[str, list[str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Return a problem as an answer; ``errors`` maps properties to sentences (400)."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors is not None or status == HTTPStatus.BAD_REQUEST:
        body["errors"] = dict(errors or {})
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE, headers=headers)


def answer_to(exc: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """Return the problem an exception of a view stands for, None if it is a failure."""
    answer = _refused(exc) or _by_the_framework(exc)
    if answer is not None:
        set_rollback()
    return answer


def of_problems(problems: Iterable[Problem]) -> HttpResponse:
    """Return 400 with each problem at its property; those of the row make the detail."""
    errors: dict[str, list[str]] = {}
    for each in problems:
        errors.setdefault(each.path, []).append(each.message)
    whole = " ".join(errors.pop("", ()))
    detail = whole or _("The request is not valid; see errors.")
    return problem(HTTPStatus.BAD_REQUEST, detail, errors=errors)


def _refused(exc: Exception) -> HttpResponse | None:
    """Answer what the services refuse."""
    match exc:
        case NotAllowed() | LimitReached():
            # More than the licence allows is forbidden too (OPEN-83).
            return problem(HTTPStatus.FORBIDDEN, str(exc))
        case InUse():
            return problem(HTTPStatus.CONFLICT, str(exc))
        case Refusal():
            return of_problems(exc.problems)
        case Stale():
            return problem(
                HTTPStatus.PRECONDITION_FAILED,
                _("Somebody else has changed the row meanwhile; read it again."),
            )
        case DjangoValidationError():
            return of_problems(flatten(as_serializer_error(exc)))
    return None


def _by_the_framework(exc: Exception) -> HttpResponse | None:
    match exc:
        case ValidationError():
            return of_problems(flatten(exc.detail))
        case APIException():
            return problem(exc.status_code, _sentence(exc), headers=_headers(exc))
        case Http404():
            return problem(HTTPStatus.NOT_FOUND, _("There is nothing at this path."))
        case PermissionDenied():
            detail = str(exc) or _("You have no right to do this.")
            return problem(HTTPStatus.FORBIDDEN, detail)
        case RequestDataTooBig():
            detail = _("The body is too large.")
            return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
        case SuspiciousOperation() | UnreadablePostError():
            return problem(
                HTTPStatus.BAD_REQUEST, _("The request could not be understood.")
            )
        case OperationalError():
            logger.error("The database could not serve a request.", exc_info=exc)
            return problem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                _("The database is busy or away; try again in a moment."),
                headers={"Retry-After": _AGAIN_SECONDS},
            )
    return None


def _sentence(exc: APIException) -> str:
    return " ".join(p.message for p in flatten(exc.detail)) or str(exc)


def _headers(exc: APIException) -> dict[str, str]:
    headers = {}
    if auth_header := getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = str(auth_header)
    if wait := getattr(exc, "wait", None):
        headers["Retry-After"] = str(int(wait))
    return headers
