"""The kinds of problems of the API (RFC 9457): code, status and title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from importer import Problem
from platform_site.log_context import log_context

MEDIA_TYPE: Final = "application/problem+json"
AGAIN_SECONDS: Final = 5


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of problem; ``members`` are the extension members of its code."""

    status: int
    title: StrOrPromise
    remedy: StrOrPromise
    members: tuple[str, ...] = ()


KINDS: Final[dict[str, ProblemKind]] = {
    "invalid": ProblemKind(
        400,
        _("The request isn't valid"),
        _("Correct the errors listed in `errors`, and send the request again."),
        ("errors", "errorCodes"),
    ),
    "unknown-parameter": ProblemKind(
        400,
        _("Unknown or repeated parameter"),
        _("Use the parameters in `known`, each once."),
        ("parameter", "known", "didYouMean"),
    ),
    "not-enough-stock": ProblemKind(
        400,
        _("Not enough stock"),
        _("Receive the items listed in `shortages` first, or reduce the quantities."),
        ("shortages",),
    ),
    "not-signed-in": ProblemKind(
        401,
        _("Not signed in"),
        _("Send a token that is still valid, or an API key."),
    ),
    "not-allowed": ProblemKind(
        403,
        _("Not allowed"),
        _("Ask an administrator for the right named in `right`."),
        ("right",),
    ),
    "limit-reached": ProblemKind(
        403,
        _("Limit reached"),
        _(
            "Get a licence with a higher limit, or stay within the limit "
            "named in `detail`."
        ),
        ("limit", "used", "allowed"),
    ),
    "not-found": ProblemKind(404, _("Not found"), _("Check the path and the id.")),
    "method-not-allowed": ProblemKind(
        405, _("Method not allowed"), _("Use a method named in the header `Allow`.")
    ),
    "not-acceptable": ProblemKind(
        406,
        _("Not acceptable"),
        _("List the content type named in `detail` in the header Accept, or `*/*`."),
    ),
    "too-slow": ProblemKind(
        408,
        _("The request was sent too slowly"),
        _("Send the request again over a faster connection."),
    ),
    "import-in-progress": ProblemKind(
        409,
        _("An import is in progress"),
        _("Try again when the import has ended."),
        ("runId", "package", "startedBy", "startedAt"),
    ),
    "row-in-use": ProblemKind(
        409,
        _("The row is in use"),
        _("Change or delete the rows in `usedBy` first."),
        ("usedBy", "count"),
    ),
    "run-ended": ProblemKind(
        409, _("The run has ended"), _("Start the package again if necessary.")
    ),
    "run-unsuitable": ProblemKind(
        409,
        _("The run can't be used for this"),
        _("Read `detail` for the reason, and use another run."),
    ),
    "plan-stale": ProblemKind(
        409,
        _("The plan can't be carried out any more"),
        _("Start a new dry run of the package, and carry out its plan."),
        ("runId", "moved"),
    ),
    "request-in-progress": ProblemKind(
        409,
        _("The same request is still being answered"),
        _("Try again a little later with the same Idempotency-Key."),
    ),
    "gone": ProblemKind(
        410,
        _("The row is deleted"),
        _("Restore the row with `POST …/restore`, or read it with `deleted=true`."),
        ("deletedAt",),
    ),
    "changes-archived": ProblemKind(
        410,
        _("Changes were archived"),
        _("Read all rows again, and continue from `position`."),
        ("position",),
    ),
    "length-required": ProblemKind(
        411, _("Length required"), _("Send the body with its Content-Length.")
    ),
    "changed-meanwhile": ProblemKind(
        412,
        _("The row changed after you read it"),
        _("Read the row again, and repeat your change."),
        ("version",),
    ),
    "too-large": ProblemKind(
        413, _("The body is too large"), _("Send at most `limit` bytes."), ("limit",)
    ),
    "unsupported-media-type": ProblemKind(
        415,
        _("Unsupported content type"),
        _(
            "Send application/json, unless the documentation names another content "
            "type."
        ),
    ),
    "idempotency-mismatch": ProblemKind(
        422,
        _("The Idempotency-Key was used for another request"),
        _("Use a new key for each new request."),
    ),
    "too-many-attempts": ProblemKind(
        429,
        _("Too many attempts"),
        _("Wait for as many seconds as Retry-After says."),
    ),
    "internal": ProblemKind(
        500,
        _("The server failed"),
        _(
            "Tell the operator the `requestId`; the server log has the "
            "reason under this id."
        ),
        ("requestId",),
    ),
    "unavailable": ProblemKind(
        503,
        _("Temporarily unavailable"),
        _("Try again after as many seconds as Retry-After says."),
    ),
    "out-of-space": ProblemKind(
        507,
        _("The server has no free disk space"),
        _("Tell the operator to free disk space."),
    ),
}
RETRY_LATER: Final = (
    "import-in-progress",
    "request-in-progress",
    "too-many-attempts",
    "unavailable",
)
# Codes by status, if nothing else is known.
_BY_STATUS: Final = {
    401: "not-signed-in",
    403: "not-allowed",
    404: "not-found",
    409: "run-ended",
    410: "gone",
    413: "too-large",
    **{
        kind.status: code
        for code, kind in KINDS.items()
        if kind.status not in (400, 401, 403, 409, 410)
    },
}


def problem(
    code: str,
    detail: str,
    *,
    errors: Mapping[str, list[str]] | None = None,
    error_codes: Mapping[str, list[str]] | None = None,
    members: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Return a problem as a response; ``members`` are those of its code."""
    kind = KINDS[code]
    body: dict[str, Any] = {
        "type": f"/problems/{code}",
        "code": code,
        "title": str(kind.title),
        "status": kind.status,
        "detail": detail,
    }
    body |= dict.fromkeys(kind.members)
    if "requestId" in kind.members:
        body["requestId"] = log_context().request_id
    if kind.status == HTTPStatus.BAD_REQUEST:
        body |= {"errors": dict(errors or {}), "errorCodes": dict(error_codes or {})}
    body |= members or {}
    again = {"Retry-After": str(AGAIN_SECONDS)} if code in RETRY_LATER else {}
    return JsonResponse(
        body,
        status=kind.status,
        content_type=MEDIA_TYPE,
        headers={**again, **(headers or {})},
    )


def of_problems(
    problems: Iterable[Problem],
    code: str = "invalid",
    *,
    members: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Return a response with each sentence at its property; those of the row are the
    detail."""
    errors: dict[str, list[str]] = {}
    codes: dict[str, list[str]] = {}
    for each in problems:
        errors.setdefault(each.path, []).append(each.message)
        codes.setdefault(each.path, []).append(each.code)
    detail = " ".join(errors.pop("", ()))
    codes.pop("", None)
    return problem(
        code,
        detail or str(_("The request isn't valid; see errors.")),
        errors=errors,
        error_codes=codes,
        members=members,
    )


def code_of_status(status: int) -> str:
    """Return the code for a refusal with only a status."""
    known = "invalid" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "internal"
    return _BY_STATUS.get(status, known)
