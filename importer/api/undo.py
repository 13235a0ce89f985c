"""The endpoint that undoes a run."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from importer import services
from importer.api import examples, requests, responses
from importer.api.base import REFUSED, ImportViewSet
from importer.api.declared import valid
from importer.api.runs import RUN_ID, UNKNOWN_RUN, started
from importer.models import ImportRun
from importer.services import ImportOptions


class UndoViewSet(ImportViewSet):
    """The undo of runs, each a run of its own."""

    @extend_schema(
        tags=["Import"],
        operation_id="undoImportRun",
        summary="Undo a run",
        parameters=[RUN_ID],
        request=requests.UndoSerializer,
        responses={
            202: responses.StartedRunSerializer,
            400: OpenApiResponse(description="A property is wrong; `errors` names it."),
            404: UNKNOWN_RUN,
            409: OpenApiResponse(
                description="The run can't be undone, or another run is in progress."
            ),
            **REFUSED,
        },
        examples=[examples.UNDO, examples.STARTED],
    )
    def create(self, request: Request, run_id: str) -> Response:
        """Start the undo in the background, as the caller. It is a run of its own, with
        the outcomes Reverted, Kept (somebody changed the row since), Blocked (the row is
        in use, or another rule forbids it) and Gone. The header Location is the URL of
        its progress and report.

        Dry runs, runs in progress and runs that are undone already are refused.
        """
        found = services.identifier_of(run_id)
        wanted = valid(requests.UndoSerializer(data=request.data))
        options = ImportOptions(
            dry_run=wanted["dryRun"], started_via=ImportRun.StartedVia.API
        )
        undo = services.start_undo(found, options, user=request.user)
        return started(request, undo)
