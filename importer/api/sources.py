"""The endpoints of table sources: saved ways to read a table, and imports through
them."""

from __future__ import annotations

from typing import Any, cast

from django.http import FileResponse
from django.urls import reverse
from django.utils.text import capfirst
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import ErrorDetail, NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from importer import registry
from importer.api import examples, repeats, tables
from importer.api.base import REFUSED, ImportViewSet, RunUnsuitable
from importer.api.declared import valid
from importer.api.responses import StartedRunSerializer
from importer.api.runs import ZONE_PARAMETER, options_of, started_once
from importer.api.uploading import UploadViewSet
from importer.api.versions import IF_MATCH, etag, expected_version
from importer.tables import sources
from importer.tables.packages import UnknownTarget, propose_table
from importer.tables.samples import sample_rows
from importer.tables.sources import (
    DescriptionRefused,
    SourceDisabled,
    TableError,
    TableSource,
    UnknownSource,
)

_JSON = "application/json"
_FORM = "multipart/form-data"
_NAME = OpenApiParameter(
    "name", OpenApiTypes.STR, OpenApiParameter.PATH, description="Name of the source."
)
_UNKNOWN = OpenApiResponse(description="No source has this name.")
_WRONG = OpenApiResponse(description="A property is wrong; `errors` names it.")
_CHANGED = OpenApiResponse(description="Somebody else has changed the source.")
_BODIES = {
    411: OpenApiResponse(description="The body was sent without its length."),
    413: OpenApiResponse(description="The file is larger than allowed."),
    415: OpenApiResponse(description="The body is no form."),
}


class _Refusing:
    """What the endpoints of sources have in common: how they refuse."""

    def handle_exception(self, exc: Exception) -> Response:
        """Convert the refusals of sources and tables into HTTP errors first."""
        endpoint: Any = super()
        answer: Response = endpoint.handle_exception(_as_http(exc))
        return answer


def _as_http(exc: Exception) -> Exception:
    match exc:
        case UnknownSource():
            return NotFound(str(exc))
        case SourceDisabled():
            return RunUnsuitable(str(exc))
        case DescriptionRefused():
            return _refused(exc.errors)
        case UnknownTarget():
            return _refused({"target": str(exc)})
        case TableError():
            return _refused({"file": str(exc)}, "not-a-table")
    return exc


def _refused(errors: dict[str, str], code: str = "invalid") -> ValidationError:
    return ValidationError(
        {at: [ErrorDetail(capfirst(said), code)] for at, said in errors.items()}
    )


class SourceViewSet(_Refusing, ImportViewSet):
    """The table sources of the installation."""

    @extend_schema(
        tags=["Import"],
        operation_id="listImportSources",
        summary="List the table sources",
        responses={200: tables.TableSourceSerializer(many=True), **REFUSED},
        examples=[tables.SOURCE],
    )
    def list(self, request: Request) -> Response:
        """All of them by name, disabled ones too."""
        found = sources.list_sources()
        return Response([sources.source_values(source) for source in found])

    @extend_schema(
        tags=["Import"],
        operation_id="createImportSources",
        summary="Save a table source",
        parameters=[repeats.IDEMPOTENCY_KEY],
        request=tables.TableSourceSerializer,
        responses={201: tables.TableSourceSerializer, 400: _WRONG, **REFUSED},
        examples=[tables.NEW_SOURCE, tables.SOURCE],
    )
    def create(self, request: Request) -> Response:
        """Save a way to read a table under a new name. An enabled source is also a data
        processor, with a right of its own."""
        return cast(
            Response, registry.repeats(self, request, lambda: self._create(request))
        )

    def _create(self, request: Request) -> Response:
        given = valid(tables.TableSourceSerializer(data=request.data))
        source = sources.create_source(given)
        match = request.resolver_match
        spaces = match.namespaces if match else []
        name = ":".join([*spaces, "import-source"])
        location = {"Location": reverse(name, args=[source.name])}
        return _answer(source, status.HTTP_201_CREATED, location)

    @extend_schema(
        tags=["Import"],
        operation_id="getImportSources",
        summary="Read a table source",
        parameters=[_NAME],
        responses={200: tables.TableSourceSerializer, 404: _UNKNOWN, **REFUSED},
        examples=[tables.SOURCE],
    )
    def retrieve(self, request: Request, name: str) -> Response:
        """What isn't described is null or empty: it is recognised in each file. The
        header ETag is the version."""
        return _answer(sources.get_source(name))

    @extend_schema(
        tags=["Import"],
        operation_id="changeImportSources",
        summary="Change a table source",
        parameters=[_NAME, IF_MATCH],
        request=tables.TableSourceSerializer(partial=True),
        responses={
            200: tables.TableSourceSerializer,
            400: _WRONG,
            404: _UNKNOWN,
            412: _CHANGED,
            **REFUSED,
        },
        examples=[tables.SOURCE],
    )
    def partial_update(self, request: Request, name: str) -> Response:
        """Properties that are left out stay as they are. The name can't be changed."""
        version = expected_version(request, sources.get_source(name))
        given = valid(tables.TableSourceSerializer(data=request.data, partial=True))
        source = sources.update_source(name, given, expected_version=version)
        return _answer(source)

    @extend_schema(
        tags=["Import"],
        operation_id="deleteImportSources",
        summary="Delete a table source",
        parameters=[_NAME, IF_MATCH],
        responses={204: None, 404: _UNKNOWN, 412: _CHANGED, **REFUSED},
    )
    def destroy(self, request: Request, name: str) -> Response:
        """Its data processor and the right to execute it go with it. Imported rows
        stay, and a new source of the same name finds them again."""
        version = expected_version(request, sources.get_source(name))
        sources.delete_source(name, expected_version=version)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _answer(
    source: TableSource, code: int = status.HTTP_200_OK, headers: Any = None
) -> Response:
    values = sources.source_values(source)
    return Response(values, status=code, headers={**etag(source), **(headers or {})})


class TableViewSet(_Refusing, UploadViewSet):
    """Tables that are looked at, and imported through a source."""

    @extend_schema(
        tags=["Import"],
        operation_id="detectImportTable",
        summary="Look at a table",
        request={_FORM: tables.DetectTableSerializer},
        responses={
            200: tables.DetectedTableSerializer,
            400: OpenApiResponse(
                description="The file isn't a table, or there is no such target."
            ),
            **_BODIES,
            **REFUSED,
        },
        examples=[tables.DETECTED],
    )
    def detect(self, request: Request) -> Response:
        """How the file is written, and which column probably is which property. Nothing
        is stored."""
        wanted = valid(tables.DetectTableSerializer(data=request.data))
        found = propose_table(wanted["file"], wanted["target"])
        proposed = found.description.wire()
        return Response(
            {
                "format": found.how.format,
                "encoding": found.how.encoding or None,
                "delimiter": found.how.delimiter or None,
                "decimal": found.how.decimal,
                "dateFormat": found.how.date_format,
                "sheet": found.how.sheet,
                "headerRow": found.how.header_row,
                "headers": found.headers,
                "rows": sample_rows(found),
                "columns": proposed["columns"],
                "key": proposed["key"],
                "groupBy": found.description.group_by,
                "match": found.description.match,
                "missing": found.missing,
            }
        )

    @extend_schema(
        tags=["Import"],
        operation_id="runImportSources",
        summary="Import a table through a source",
        parameters=[_NAME, ZONE_PARAMETER, repeats.IDEMPOTENCY_KEY],
        request={_FORM: tables.RunTableSerializer},
        responses={
            202: StartedRunSerializer,
            400: OpenApiResponse(
                description="The file isn't a table that the source describes, or an "
                "option is wrong."
            ),
            404: _UNKNOWN,
            409: OpenApiResponse(
                description="Another import is in progress, or the source is disabled;"
                " with `queue`, too many runs wait already."
            ),
            **_BODIES,
            **REFUSED,
        },
        examples=[examples.STARTED],
    )
    def run(self, request: Request, name: str) -> Response:
        """The table becomes a package, and an ordinary run starts in the background. The
        header Location is the URL of its report, whose entries have the lines of the
        table. Wrong rows fail alone."""
        return cast(
            Response, registry.repeats(self, request, lambda: self._run(request, name))
        )

    def _run(self, request: Request, name: str) -> Response:
        source = sources.get_source(name)
        wanted = valid(tables.RunTableSerializer(data=request.data))
        how: Any = {"user": request.user, "queue": wanted["queue"]}
        return started_once(
            request,
            wanted,
            lambda options: sources.start_table(source, wanted["file"], options, **how),
        )

    @extend_schema(
        tags=["Import"],
        operation_id="makeImportPackage",
        summary="Get the package that a table becomes",
        parameters=[_NAME, ZONE_PARAMETER],
        request={_FORM: tables.TablePackageSerializer},
        responses={
            (200, _JSON): OpenApiResponse(
                OpenApiTypes.OBJECT, description="The package, as a file."
            ),
            400: OpenApiResponse(
                description="The file isn't a table that the source describes."
            ),
            404: _UNKNOWN,
            **_BODIES,
            **REFUSED,
        },
    )
    def package(self, request: Request, name: str) -> FileResponse:
        """Nothing is imported or stored. Cells that can't be read stay in the package
        as they are, so that a dry run of it shows them."""
        source = sources.get_source(name)
        wanted = valid(tables.TablePackageSerializer(data=request.data))
        options = options_of(request, {"dryRun": True, "continueOnError": True})
        file = sources.package_file(source, wanted["file"], options, request.user)
        return FileResponse(
            file, as_attachment=True, filename=f"{name}.json", content_type=_JSON
        )
