"""The endpoints that start, watch, read and stop runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, cast
from uuid import UUID

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from importer import registry, sentences, services
from importer.api import examples, repeats, requests, responses
from importer.api.base import REFUSED
from importer.api.declared import valid
from importer.api.package_body import (
    JsonOrPackageParser,
    PackageBody,
    PackageParser,
    refuse_query,
)
from importer.api.uploading import UploadViewSet
from importer.api.uploads import PACKAGE
from importer.models import ImportRun
from importer.services import ImportOptions
from importer.sources import package_meant

ZONE_HEADER = "X-Time-Zone"
ZONE_PARAMETER = OpenApiParameter(
    ZONE_HEADER,
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="Time zone of the package's dates, as an IANA name.",
)
_JSON = "application/json"
_FORM = "multipart/form-data"
# A response with more entries is streamed.
_AT_ONCE = 1000
UNKNOWN_RUN = OpenApiResponse(
    description="The run doesn't exist, or is no longer kept."
)
RUN_ID = OpenApiParameter("run_id", OpenApiTypes.UUID, OpenApiParameter.PATH)


class RunViewSet(UploadViewSet):
    """Runs of packages, one at a time."""

    def get_permissions(self) -> Sequence[Any]:
        """Let every signed-in user read; the importer checks each run."""
        if self.action == "retrieve":
            return [IsAuthenticated()]
        return super().get_permissions()

    def get_parsers(self) -> list[BaseParser]:
        """Take a package as the body, too."""
        usual = super().get_parsers()
        read = [JsonOrPackageParser(p) if p.media_type == _JSON else p for p in usual]
        return [*read, PackageParser()]

    @extend_schema(
        tags=["Import"],
        operation_id="startImportRun",
        summary="Start a run",
        parameters=[
            ZONE_PARAMETER,
            repeats.IDEMPOTENCY_KEY,
            requests.PackageOptionsSerializer,
        ],
        request={
            _JSON: requests.RunEmbeddedSerializer,
            _FORM: requests.RunUploadSerializer,
            PACKAGE: OpenApiTypes.OBJECT,
        },
        responses={
            202: responses.StartedRunSerializer,
            400: OpenApiResponse(description="A property is wrong; `errors` names it."),
            404: OpenApiResponse(description="No embedded package has this name."),
            409: OpenApiResponse(
                description="Another import is in progress; with `queue`, too many "
                "runs wait already."
            ),
            411: OpenApiResponse(description="The body was sent without its length."),
            413: OpenApiResponse(description="The file is larger than allowed."),
            415: OpenApiResponse(
                description="The body is neither JSON nor a form nor a package, or not "
                "packed by gzip."
            ),
            **REFUSED,
        },
        examples=[examples.RUN_EMBEDDED, examples.RUN_PACKAGE, examples.STARTED],
    )
    def create(self, request: Request) -> Response:
        """Start the run in the background. A package can be the body itself, plain or
        with `Content-Encoding: gzip`; its options are then in the query. The header
        Location is the URL of its progress and report. Only one run can be in progress; otherwise the response is
        409, or with `queue` the run waits for its turn.

        Errors in the package, even invalid JSON, are in the report of the run.
        """
        return cast(
            Response, registry.repeats(self, request, lambda: self._start(request))
        )

    def _start(self, request: Request) -> Response:
        wanted = _wanted(request)
        return started_once(request, wanted, partial(_begin, request, wanted))

    @extend_schema(
        tags=["Import"],
        operation_id="listImportRuns",
        summary="List the newest runs",
        parameters=[requests.WhichRunsSerializer],
        responses={
            200: responses.ImportRunSerializer(many=True),
            400: OpenApiResponse(description="The query is wrong; `errors` names it."),
            **REFUSED,
        },
        examples=[examples.RUNS],
    )
    def list(self, request: Request) -> Response:
        """The newest runs without their reports, 50 on a page. The query filters them,
        and decides between imports and dry runs."""
        which = _query(requests.WhichRunsSerializer, request)
        services.end_what_died()
        found = services.list_runs(
            which.get("package") or None,
            page=which["page"],
            status=which.get("status", ""),
            user=which.get("user", ""),
            dry_run=which["dryRun"] == "true",
        )
        runs: Any = [services.up_to_date(run) for run in found]
        return Response(responses.ImportRunSerializer(runs, many=True).data)

    @extend_schema(
        tags=["Import"],
        operation_id="getImportRun",
        summary="Read a run and its report",
        parameters=[RUN_ID, requests.WhichEntriesSerializer],
        responses={
            200: responses.ImportRunWithReportSerializer,
            400: OpenApiResponse(description="The query is wrong; `errors` names it."),
            404: UNKNOWN_RUN,
            **REFUSED,
            403: OpenApiResponse(description="You may not read this run."),
        },
        examples=[examples.RUNNING, examples.ENDED],
    )
    def retrieve(self, request: Request, run_id: str) -> HttpResponseBase:
        """The report is null until the run has ended; the query filters its entries. The newest
        20 dry runs are kept for a day. Administrators can read every run, others those
        they started through a data processor or a job."""
        wanted = _query(requests.WhichEntriesSerializer, request)
        services.end_what_died()
        run = services.readable_run(run_id, request.user)
        if not run.has_ended:
            return Response(responses.without_report(run))
        entries = services.report_entries(run.run_id, **wanted)
        first = list(islice(entries, _AT_ONCE + 1))
        body = responses.with_report(run, chain(first, entries))
        if len(first) <= _AT_ONCE:
            return HttpResponse(b"".join(body), content_type=_JSON)
        return StreamingHttpResponse(body, content_type=_JSON)

    @extend_schema(
        tags=["Import"],
        operation_id="cancelImportRun",
        summary="Stop a run",
        parameters=[RUN_ID],
        request=None,
        responses={
            202: responses.StartedRunSerializer,
            404: UNKNOWN_RUN,
            409: OpenApiResponse(description="The run has already ended."),
            **REFUSED,
        },
        examples=[examples.STARTED],
    )
    def cancel(self, request: Request, run_id: str) -> Response:
        """The run stops between two objects, within about a second, and ends as
        Interrupted; a queued run does so at once. Starting the package again continues it."""
        found = services.identifier_of(run_id)
        services.cancel_run(found)
        return Response({"runId": found}, status=status.HTTP_202_ACCEPTED)


def _begin(request: Request, wanted: dict[str, Any], options: ImportOptions) -> UUID:
    """Start what a request wants and return the identifier of the run."""
    how: Any = {"user": request.user, "queue": wanted["queue"]}
    if "plan" in wanted:
        return services.start_plan(wanted["plan"], options, **how)
    source = wanted.get("file") or _embedded(wanted["package"])
    return services.start_run(source, options, **how)


def started_once(
    request: Request,
    wanted: Mapping[str, Any],
    begin: Callable[[ImportOptions], UUID],
) -> Response:
    """Return the response with the run that a request begins with its options, or has
    begun if it is repeated."""
    run_id, began = repeats.run_of(request)
    if began:
        return started(request, run_id)
    try:
        return started(request, begin(options_of(request, wanted, run_id)))
    except services.RunExists:
        # Another request with the same key was slightly faster.
        return started(request, run_id)


def options_of(
    request: Request, wanted: Mapping[str, Any], run_id: UUID | None = None
) -> ImportOptions:
    """Return the options of a run that a request wants."""
    return ImportOptions(
        dry_run=wanted["dryRun"],
        continue_on_error=wanted["continueOnError"],
        time_zone=wanted.get("timeZone") or _header_zone(request),
        started_via=ImportRun.StartedVia.API,
        run_id=run_id,
    )


def started(request: Request, run_id: UUID | None) -> Response:
    """Return the response with a run that has been started."""
    return Response(
        {"runId": run_id},
        status=status.HTTP_202_ACCEPTED,
        headers={"Location": _location(request, run_id)},
    )


def _wanted(request: Request) -> dict[str, Any]:
    """Return the options of a request to start; raise ValidationError for wrong
    ones."""
    data: Any = request.data
    if not isinstance(data, PackageBody):
        if (request.content_type or "").startswith(PACKAGE):  # no byte was sent
            raise ValidationError({"file": [sentences.FILE["empty"]]})
        refuse_query(request.query_params)
    if not hasattr(data, "getlist"):  # JSON, or no body at all
        if isinstance(data, dict) and "file" in data:
            message = _("Send a file as multipart/form-data.")
            raise ValidationError({"file": [message]})
        return valid(requests.RunEmbeddedSerializer(data=data))
    if "package" in data:
        message = _(
            "Name an embedded package in a JSON body or send a file, but not both."
        )
        raise ValidationError({"package": [message]})
    if len(data.getlist("file")) > 1:
        raise ValidationError({"file": [_("Send one file.")]})
    return valid(requests.RunUploadSerializer(data=data))


def _query(serializer: Any, request: Request) -> dict[str, Any]:
    return valid(serializer(data=request.query_params.dict()))


def _header_zone(request: Request) -> str:
    """Return the zone of the header; raise ValidationError for an unknown zone."""
    zone = request.headers.get(ZONE_HEADER, "")
    choice = requests.ChoicesSerializer(data={"timeZone": zone})
    if not choice.is_valid():
        raise ValidationError({ZONE_HEADER: choice.errors["timeZone"]})
    return str(choice.validated_data["timeZone"])


def _embedded(identifier: str) -> services.EmbeddedPackage:
    found = services.embedded_package(identifier)
    if found is None:
        sentence = _('There is no embedded package "%(name)s".')
        raise NotFound(sentence % {"name": identifier} + package_meant(identifier))
    return found


def _location(request: Request, run_id: UUID | None) -> str:
    match = request.resolver_match
    spaces = match.namespaces if match else []
    return reverse(":".join([*spaces, "import-run"]), args=[run_id])
