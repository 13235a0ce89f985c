"""The endpoints that make packages: of rows, and of the objects of a run that failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, BinaryIO

from django.http import FileResponse
from django.utils.text import slugify
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from importer import services
from importer.api.base import REFUSED, ImportViewSet
from importer.api.declared import valid
from importer.api.requests import WhichRowsSerializer
from importer.api.runs import RUN_ID
from importer.models import ImportRun

_JSON = "application/json"
_PACKAGE = OpenApiResponse(OpenApiTypes.OBJECT, description="The package, as a file.")


class ExportViewSet(ImportViewSet):
    """The export of rows as a package."""

    @extend_schema(
        tags=["Import"],
        operation_id="import_export",
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

    @extend_schema(
        tags=["Import"],
        operation_id="import_run_failed",
        summary="Read the failed and kept objects as a package",
        parameters=[RUN_ID],
        responses={
            (200, _JSON): _PACKAGE,
            404: OpenApiResponse(
                description="The run doesn't exist, or its package is no longer kept."
            ),
            409: OpenApiResponse(description="No object failed, and no row was kept."),
            **REFUSED,
        },
    )
    def retrieve(self, request: Request, run_id: str) -> FileResponse:
        """The objects that failed and those whose rows were kept, with the objects that they refer
        to, under the header of the package. Import them again after you have corrected them:
        the rest of the package isn't affected."""
        return failed_response(services.readable_run(run_id, request.user))


def failed_response(run: ImportRun) -> FileResponse:
    """Return the response with the failed and kept objects of a run.

    Raise NoFailedObjects, and PackageNotKept.
    """
    return _file(services.failed_objects(run), f"{run.package}-failed")


def package_response(
    selections: Sequence[services.Selection], package: str, version: int = 1
) -> FileResponse:
    """Return the response with an export; raise NotExportable if there can't be one."""
    file, _done = services.exported_file(selections, package=package, version=version)
    return _file(file, package)


def _file(file: BinaryIO, package: str) -> FileResponse:
    name = f"{slugify(re.sub('[.:/]', '-', package)) or 'package'}.json"
    return FileResponse(file, as_attachment=True, filename=name, content_type=_JSON)


def _parts(text: Any, between: str) -> list[str]:
    return [part.strip() for part in text.split(between) if part.strip()]
