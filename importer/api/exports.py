"""The endpoint that exports rows as a package, and the response with one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import FileResponse
from django.utils.text import slugify
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from importer import services
from importer.api.base import REFUSED, ImportViewSet
from importer.api.declared import valid
from importer.api.requests import WhichRowsSerializer

_JSON = "application/json"


class ExportViewSet(ImportViewSet):
    """The export of rows as a package."""

    @extend_schema(
        tags=["Import"],
        operation_id="import_export",
        summary="Export rows as a package",
        parameters=[WhichRowsSerializer],
        responses={
            (200, _JSON): OpenApiResponse(
                OpenApiTypes.OBJECT, description="The package, as a file."
            ),
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


def package_response(
    selections: Sequence[services.Selection], package: str, version: int = 1
) -> FileResponse:
    """Return the response with an export; raise NotExportable if there can't be one."""
    file, _done = services.exported_file(selections, package=package, version=version)
    name = f"{slugify(package.replace(':', '-')) or 'package'}.json"
    return FileResponse(file, as_attachment=True, filename=name, content_type=_JSON)


def _parts(text: Any, between: str) -> list[str]:
    return [part.strip() for part in text.split(between) if part.strip()]
