"""The endpoints that make packages: of rows, and of the objects of a run that failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, BinaryIO

from django.http import FileResponse
from django.utils.text import slugify
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from importer import registry, services
from importer.api.base import REFUSED, ImportViewSet, MayImport
from importer.api.declared import valid
from importer.api.requests import CSV, WhichFormSerializer, WhichRowsSerializer
from importer.api.runs import RUN_ID
from importer.csv_files import CSV_CONTENT_TYPE
from importer.models import ImportRun
from importer.tables.run_tables import rows_to_correct

_JSON = "application/json"
_PACKAGE = OpenApiResponse(OpenApiTypes.OBJECT, description="The package, as a file.")


class ExportViewSet(ImportViewSet):
    """The export of rows as a package."""

    @extend_schema(
        tags=["Import"],
        operation_id="exportPackage",
        summary="Export rows as a package",
        parameters=[WhichRowsSerializer],
        responses={
            (200, _JSON): _PACKAGE,
            400: OpenApiResponse(
                description="The query is wrong, or some rows can't be in a package; "
                "`errors` names them."
            ),
            **REFUSED,
        },
    )
    def retrieve(self, request: Request) -> FileResponse:
        """All rows of catalogs and documents that aren't deleted, or those that filters leave.
        An import of the package into an empty installation creates the same rows."""
        wanted = valid(WhichRowsSerializer(data=request.query_params.dict()))
        names = [*_parts(wanted["dictionary"], ","), *_parts(wanted["document"], ",")]
        where = _parts(wanted["where"], "&")
        selections = services.selected(names, where)
        package = wanted["package"] or services.package_name(names, where)
        return package_response(selections, package, wanted["version"])


class FailedViewSet(ImportViewSet):
    """What a run didn't write, to be corrected."""

    def get_permissions(self) -> Sequence[Any]:
        """Let every signed-in user read; the importer checks each run."""
        if self.action == "retrieve":
            return [IsAuthenticated()]
        return super().get_permissions()

    @extend_schema(
        tags=["Import"],
        operation_id="getImportRunFailed",
        summary="Read the failed and kept objects as a package or a table",
        parameters=[RUN_ID, WhichFormSerializer],
        responses={
            (200, _JSON): _PACKAGE,
            (200, "text/csv"): OpenApiResponse(
                OpenApiTypes.STR, description="The rows of the table, as a file."
            ),
            400: OpenApiResponse(description="The query is wrong; `errors` names it."),
            404: OpenApiResponse(
                description="The run doesn't exist, or its package is no longer kept; "
                "with `csv`, it imported no table."
            ),
            409: OpenApiResponse(description="No object failed, and no row was kept."),
            **REFUSED,
        },
    )
    def retrieve(self, request: Request, run_id: str) -> FileResponse:
        """The objects that failed and those whose rows were kept, with the objects that they refer
        to, under the header of the package. Import them again after you have corrected them:
        the rest of the package isn't affected.

        With `csv` they are the rows of the table that the run imported, with a last column
        that says why; those who may read the report of the run may read them."""
        form = valid(WhichFormSerializer(data=request.query_params.dict()))["format"]
        run = services.readable_run(run_id, request.user)
        if form == CSV:
            return rows_response(run)
        if not registry.may_import(request.user):
            raise PermissionDenied(MayImport.message)
        return failed_response(run)


def failed_response(run: ImportRun) -> FileResponse:
    """Return the response with the failed and kept objects of a run.

    Raise NoFailedObjects, and PackageNotKept.
    """
    return _file(services.failed_objects(run), f"{run.package}-failed")


def rows_response(run: ImportRun) -> FileResponse:
    """Return the response with the failed and kept rows of a run's table.

    Raise NoFailedObjects, and TableNotKept.
    """
    name = f"{_slug(run.package)}-failed.csv"
    file = rows_to_correct(run)
    return FileResponse(
        file, as_attachment=True, filename=name, content_type=CSV_CONTENT_TYPE
    )


def package_response(
    selections: Sequence[services.Selection], package: str, version: int = 1
) -> FileResponse:
    """Return the response with an export; raise NotExportable if there can't be one."""
    file, _done = services.exported_file(selections, package=package, version=version)
    return _file(file, package)


def _file(file: BinaryIO, package: str) -> FileResponse:
    name = f"{_slug(package)}.json"
    return FileResponse(file, as_attachment=True, filename=name, content_type=_JSON)


def _slug(package: str) -> str:
    return slugify(re.sub("[.:/]", "-", package)) or "package"


def _parts(text: Any, between: str) -> list[str]:
    return [part.strip() for part in text.split(between) if part.strip()]
