"""The endpoint that decides about the rows that a run kept."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from importer import services
from importer.api import examples, requests, responses
from importer.api.base import REFUSED, ImportViewSet
from importer.api.declared import valid
from importer.api.runs import started
from importer.models import ImportRun
from importer.services import ImportOptions, KeptRows


class DecidedSerializer(serializers.Serializer[Any]):
    """Kept rows that keep their own values."""

    decided = serializers.IntegerField(
        min_value=0,
        help_text="How many rows; deleted ones aren't counted, they stay deleted anyway.",
    )


class DecisionViewSet(ImportViewSet):
    """Decisions about kept rows."""

    @extend_schema(
        tags=["Import"],
        operation_id="decideImportRun",
        summary="Decide about kept rows",
        parameters=[
            OpenApiParameter("run_id", OpenApiTypes.UUID, OpenApiParameter.PATH)
        ],
        request=requests.DecideSerializer,
        responses={
            200: DecidedSerializer,
            202: responses.StartedRunSerializer,
            400: OpenApiResponse(description="A property is wrong; `errors` names it."),
            404: OpenApiResponse(
                description="The run doesn't exist, or is no longer kept."
            ),
            409: OpenApiResponse(
                description="Another import is in progress, or there is nothing to "
                "decide about."
            ),
            **REFUSED,
        },
        examples=[examples.DECIDE, examples.DECIDED, examples.STARTED],
    )
    def create(self, request: Request, run_id: str) -> Response:
        """With `package`, a run of these objects starts, and their rows get the values
        of the package. With `mine`, the rows stay as they are, and later runs find them
        unchanged until their objects change again."""
        found = services.identifier_of(run_id)
        wanted = valid(requests.DecideSerializer(data=request.data))
        items = wanted.get("items")
        which = KeptRows(
            None if items is None else frozenset(items),
            wanted.get("outcome", ""),
            wanted.get("search", ""),
        )
        if wanted["take"] == "mine":
            count = services.keep_own_values(found, which, user=request.user)
            return Response({"decided": count})
        options = ImportOptions(started_via=ImportRun.StartedVia.API)
        new = services.take_packages_values(found, which, options, user=request.user)
        return started(request, new)
