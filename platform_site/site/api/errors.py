"""The conversion of exceptions under `/api` into problems with sentences for callers;
reasons of failures are only logged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    ValidationError as DjangoValidationError,
)
from django.http import Http404, HttpResponse
from django.http.request import UnreadablePostError
from django.utils.translation import gettext as _, gettext_lazy
from rest_framework import exceptions
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.serializers import as_serializer_error
from rest_framework.views import set_rollback

from documents.posting.refusals import NotEnoughStock
from importer.api import UnknownParameter
from importer.targets import flatten
from platform_site.database.failures import Failure, failure_of, log_failure
from platform_site.middleware import foreseen
from platform_site.records.errors import (
    InUse,
    LimitReached,
    NotAllowed,
    Refusal,
    Stale,
)
from platform_site.site.api.problems import KINDS, code_of_status, of_problems, problem

# The codes that differ from the framework's.
_CODES: Final = {
    "parse_error": "invalid",
    "not_authenticated": "not-signed-in",
    "authentication_failed": "not-signed-in",
    "permission_denied": "not-allowed",
    "throttled": "too-many-attempts",
}
_NOT_SIGNED_IN: Final = gettext_lazy(
    "You are not signed in, or your session has ended."
)
_NO_RIGHT: Final = gettext_lazy(
    "You don't have the right to do this; ask an administrator for it."
)
# Our sentences instead of the framework's.
_SENTENCES: Final = {
    exceptions.NotAuthenticated: _NOT_SIGNED_IN,
    exceptions.AuthenticationFailed: _NOT_SIGNED_IN,
    exceptions.PermissionDenied: _NO_RIGHT,
    exceptions.NotFound: gettext_lazy("There is nothing at this path."),
    exceptions.ParseError: gettext_lazy("The request could not be understood."),
    exceptions.MethodNotAllowed: gettext_lazy(
        "This method is not allowed here; use one from the Allow header."
    ),
    exceptions.NotAcceptable: gettext_lazy(
        "None of the content types in the Accept header is available."
    ),
    exceptions.UnsupportedMediaType: gettext_lazy(
        "Unsupported content type; send %(types)s."
    ),
    exceptions.Throttled: gettext_lazy(
        "Too many requests; wait for as many seconds as Retry-After says."
    ),
}


def answer_to(exc: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """Return the problem for an exception of a view, None if it is a failure."""
    answer = _failed(exc, context) or _refused(exc) or _by_the_framework(exc, context)
    if answer is not None:
        set_rollback()
    return answer


def problem_of(failure: Failure) -> HttpResponse:
    """Return the problem for an unavailable database or storage, or a full disk."""
    return problem(failure.code, failure.sentence)


def _failed(exc: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    failure = failure_of(exc)
    if failure is None:
        return None
    answer = problem_of(failure)
    log_failure(failure, exc, context["request"], answer)
    return answer


def _refused(exc: Exception) -> HttpResponse | None:
    """Return the response for a refusal of the services."""
    members: dict[str, Any]
    match exc:
        case NotAllowed():
            return problem("not-allowed", str(exc), members={"right": exc.right})
        case LimitReached():
            # Exceeding the licence is forbidden too (OPEN-83).
            return problem("limit-reached", str(exc), members=exc.members)
        case InUse():
            members = {"usedBy": exc.used_by, "count": exc.count}
            return problem("row-in-use", str(exc), members=members)
        case NotEnoughStock():
            members = {"shortages": exc.shortages}
            return of_problems(exc.problems, "not-enough-stock", members=members)
        case Refusal():
            return of_problems(exc.problems)
        case Stale():
            detail = _("Somebody else has changed the row since then; read it again.")
            return problem(
                "changed-meanwhile", detail, members={"version": exc.version}
            )
        case DjangoValidationError():
            return of_problems(flatten(as_serializer_error(exc)))
    return None


def _by_the_framework(
    exc: Exception, context: Mapping[str, Any]
) -> HttpResponse | None:
    match exc:
        case UnknownParameter():
            sentence, name = str(exc.detail), exc.members["parameter"]
            return problem(
                "unknown-parameter",
                sentence,
                errors={name: [sentence]},
                error_codes={name: ["unknown-parameter"]},
                members=exc.members,
            )
        case ValidationError():
            return of_problems(flatten(exc.detail))
        case APIException():
            return _by_its_code(exc, context)
        case Http404():
            return problem("not-found", _("There is nothing at this path."))
        case PermissionDenied():
            return problem("not-allowed", str(exc) or str(_NO_RIGHT))
        case RequestDataTooBig():
            return problem("too-large", _("The body is too large."))
        case SuspiciousOperation() | UnreadablePostError():
            return problem("invalid", _("The request could not be understood."))
    return None


def _by_its_code(exc: APIException, context: Mapping[str, Any]) -> HttpResponse:
    """Return the response for the code of an exception, else for its status."""
    code = _CODES.get(exc.default_code, exc.default_code.replace("_", "-"))
    if code not in KINDS:
        code = code_of_status(exc.status_code)
    sentence = _own_sentence(exc, context)
    if sentence is None:
        sentence = " ".join(p.message for p in flatten(exc.detail)) or str(exc)
    members = getattr(exc, "members", None)
    answer = problem(code, sentence, members=members, headers=_headers(exc))
    return foreseen(answer) if getattr(exc, "is_foreseen", False) else answer


def _own_sentence(exc: APIException, context: Mapping[str, Any]) -> str | None:
    """Return our sentence if an exception only has the framework's."""
    stock = str(exc.default_detail).partition("{")[0]
    sentence = _SENTENCES.get(type(exc))
    if sentence is None or not str(exc.detail).startswith(stock):
        return None
    parsers = getattr(context.get("view"), "parser_classes", ())
    return str(sentence) % {"types": ", ".join(one.media_type for one in parsers)}


def _headers(exc: APIException) -> dict[str, str]:
    headers = {}
    if auth_header := getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = str(auth_header)
    if wait := getattr(exc, "wait", None):
        headers["Retry-After"] = str(int(wait))
    return headers
