"""The endpoints of the embedded packages and of the JSON Schema of packages."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from importer import services
from importer.api import examples, responses
from importer.api.base import REFUSED, ImportViewSet

SCHEMA_TYPE = "application/schema+json"


class SchemaRenderer(JSONRenderer):
    """A JSON renderer with the content type of a schema."""

    media_type = SCHEMA_TYPE


class PackageViewSet(ImportViewSet):
    """The packages embedded in the installation."""

    @extend_schema(
        tags=["Import"],
        operation_id="listImportPackages",
        summary="List the embedded packages",
        responses={200: responses.ImportPackageSerializer(many=True), **REFUSED},
        examples=[examples.PACKAGES],
    )
    def list(self, request: Request) -> Response:
        """Each with the version last applied; broken packages are listed too."""
        listed: Any = services.list_packages()
        return Response(responses.ImportPackageSerializer(listed, many=True).data)


class SchemaViewSet(ImportViewSet):
    """The JSON Schema of packages, for editors and other programs."""

    renderer_classes = [SchemaRenderer, JSONRenderer]

    @extend_schema(
        tags=["Import"],
        operation_id="getImportSchema",
        summary="Get the JSON Schema of packages",
        responses={
            (200, SCHEMA_TYPE): OpenApiResponse(
                OpenApiTypes.OBJECT, description="JSON Schema, draft 2020-12."
            ),
            **REFUSED,
        },
    )
    def retrieve(self, request: Request) -> Response:
        """With the catalogs and documents of this installation (OPEN-58)."""
        return Response(services.package_schema(), content_type=SCHEMA_TYPE)
