"""What all endpoints share: permissions and error responses."""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import Error as DatabaseTrouble, OperationalError
from django.http import UnreadablePostError
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiResponse
from rest_framework.exceptions import (
    APIException,
    NotFound,
    ParseError,
    PermissionDenied,
)
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from importer import registry
from importer.api.declared import DeclaredOnly
from importer.services import (
    DryRunNeeded,
    EngineStopped,
    ImportInProgress,
    LockUnusable,
    NoFailedObjects,
    NoPlan,
    NotDecidable,
    NotRunning,
    NotUndoable,
    NotYourRun,
    PackageNotKept,
    PlanStale,
    ProposalRefused,
    UnknownProposal,
    UnknownRun,
    is_out_of_space,
)
from importer.targets import Stale

logger = logging.getLogger("platform.importer")
_NO_DATABASE = _(
    "The database can't be used for imports right now; try again "
    "later. See the server log for the reason."
)
_NO_ROOM = _(
    "The server couldn't store the package; see the server log for the reason."
)
# The responses that every endpoint may give besides its own.
REFUSED = {
    401: OpenApiResponse(description="Not signed in, or the session has ended."),
    403: OpenApiResponse(description="Imports are for administrators only."),
    503: OpenApiResponse(description="The database is unavailable."),
    507: OpenApiResponse(description="The disk is full."),
}


class RunEnded(APIException):
    """The refusal to stop a run that has ended."""

    status_code = 409
    default_code = "run_ended"


class RunUnsuitable(APIException):
    """The refusal to act on a run without a plan, kept rows or failed
    objects, or to undo a run."""

    status_code = 409
    default_code = "run_unsuitable"


class PlanUnusable(APIException):
    """The refusal of a plan that was kept too long or has been carried out."""

    status_code = 409
    default_code = "plan_stale"

    def __init__(self, stale: PlanStale) -> None:
        super().__init__(str(stale))
        self.members = {"runId": stale.run_id, "moved": stale.moved}


class ChangedMeanwhile(APIException):
    """The refusal of a write that expects another version."""

    status_code = 412
    default_detail = _("Somebody else has changed it since then; read it again.")
    default_code = "changed_meanwhile"

    def __init__(self, version: int | None) -> None:
        super().__init__()
        self.members = {"version": version}


class ImportBusy(APIException):
    """The refusal of a run while another import is in progress."""

    status_code = 409
    default_code = "import_in_progress"
    wait = 5

    def __init__(self, running: ImportInProgress) -> None:
        super().__init__(str(running))
        self.members = {
            "runId": running.run_id,
            "package": running.package,
            "startedBy": running.started_by,
            "startedAt": running.started_at,
        }


class LengthRequired(APIException):
    """The refusal of a body without a length."""

    status_code = 411
    default_detail = _("Send the body with its length (Content-Length), not in chunks.")
    default_code = "length_required"


class UploadTooLarge(APIException):
    """The refusal of a body that is larger than allowed."""

    status_code = 413
    default_detail = _("The body is too large.")
    default_code = "too_large"

    def __init__(self, detail: str | None = None, *, limit: int | None = None) -> None:
        super().__init__(detail)
        self.members = {"limit": limit}


class Unavailable(APIException):
    """The refusal of a request that the server temporarily can't handle."""

    status_code = 503
    default_code = "unavailable"


class NotStartable(Unavailable):
    """The refusal of an import while the server stops or the site is maintained, which is
    no failure."""

    is_foreseen = True


class OutOfSpace(APIException):
    """The refusal of a request for lack of disk space."""

    status_code = 507
    default_detail = _("The disk of the server is full; free some space and try again.")
    default_code = "out_of_space"


class MayImport(BasePermission):
    """The permission of users who may import in this project (IMP-251)."""

    message = _("Imports are for administrators only.")

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return the answer of the project's hook for the user."""
        user = request.user
        return bool(user.is_authenticated and registry.may_import(user))


class ImportViewSet(DeclaredOnly, ViewSet):
    """The base of all endpoints."""

    permission_classes = [MayImport]

    def handle_exception(self, exc: Exception) -> Response:
        """Convert refusals of the importer into HTTP errors first."""
        return super().handle_exception(as_http(exc))


def as_http(exc: Exception) -> Exception:
    """Return a refusal as an HTTP error; other exceptions unchanged."""
    return _of_a_run(exc) or _of_a_body(exc) or exc


def _of_a_run(exc: Exception) -> APIException | None:
    match exc:
        case UnknownRun() | PackageNotKept() | UnknownProposal():
            return NotFound(str(exc))
        case NotYourRun():
            return PermissionDenied(str(exc))
        case ImportInProgress():
            return ImportBusy(exc)
        case NotRunning() | DryRunNeeded() | ProposalRefused():
            return RunEnded(str(exc))
        case PlanStale():
            return PlanUnusable(exc)
        case NoPlan() | NoFailedObjects() | NotDecidable() | NotUndoable():
            return RunUnsuitable(str(exc))
        case Stale():
            return ChangedMeanwhile(exc.version)
        case EngineStopped():
            return NotStartable(str(exc))
        case LockUnusable():
            return Unavailable(str(exc))
    return None


def _of_a_body(exc: Exception) -> APIException | None:
    match exc:
        case RequestDataTooBig():
            return UploadTooLarge()
        case SuspiciousOperation() | UnreadablePostError():
            return ParseError(_("The body ended too early; send the request again."))
        case RecursionError():
            return ParseError(_("The body is nested too deeply."))
        case DatabaseTrouble() | OSError():
            is_foreseen = is_out_of_space(exc) or isinstance(exc, OperationalError)
            logger.error(
                "The server cannot serve imports: %s",
                " ".join(str(exc).split()),
                exc_info=None if is_foreseen else exc,
            )
            return _without_means(exc)
    return None


def _without_means(exc: Exception) -> APIException:
    """Return the HTTP error for a failing database or disk."""
    if is_out_of_space(exc):
        return OutOfSpace()
    return Unavailable(_NO_ROOM if isinstance(exc, OSError) else _NO_DATABASE)
