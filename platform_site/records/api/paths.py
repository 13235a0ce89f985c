"""The API paths of a model's rows, with their OpenAPI descriptions."""

from __future__ import annotations

from typing import Any, Final

from django.urls import URLPattern, URLResolver
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)
from rest_framework.routers import SimpleRouter
from rest_framework.viewsets import ViewSetMixin

from importer.api import IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH
from platform_site.records.api.answers import answer_serializer
from platform_site.records.api.expansion import expandable
from platform_site.records.api.filters import DELETED_PARAMETER, expand_parameter
from platform_site.records.api.views import RecordViewSet
from platform_site.records.api.zones import ZONE_PARAMETER
from platform_site.records.models import Record
from platform_site.records.table_files import XLSX_CONTENT_TYPE

_FILES: Final = {
    (200, content_type): OpenApiResponse(
        kind, description="With `format`: the rows of all pages as a file."
    )
    for content_type, kind in (
        ("text/csv", OpenApiTypes.STR),
        (XLSX_CONTENT_TYPE, OpenApiTypes.BINARY),
    )
}
VERSION_HEADER: Final = OpenApiParameter(
    "ETag",
    str,
    OpenApiParameter.HEADER,
    response=[200, 201],
    description="The version of the row in quotation marks, for If-Match and "
    "If-None-Match.",
)
LOCATION_HEADER: Final = OpenApiParameter(
    "Location",
    str,
    OpenApiParameter.HEADER,
    response=[201],
    description="The path of the new row.",
)
_KNOWN: Final = OpenApiResponse(description="The row still has this version.")
_DELETED: Final = OpenApiParameter(
    "deleted", bool, description=DELETED_PARAMETER["description"]
)


def record_paths(
    model: type[Record], view: type[RecordViewSet] = RecordViewSet
) -> list[URLPattern | URLResolver]:
    """Return the paths of a model's rows, including each `@action` of its view."""
    name = model.catalog_name
    return routed(name, view_of(model, view), name)


def routed(
    prefix: str, view: type[ViewSetMixin], basename: str
) -> list[URLPattern | URLResolver]:
    """Return the paths that DRF's router makes, without a trailing slash."""
    router = SimpleRouter(trailing_slash=False, use_regex_path=False)
    router.register(prefix, view, basename)
    return router.urls


def view_of(model: type[Record], view: type[RecordViewSet]) -> type[RecordViewSet]:
    """Return the view of one model, described by the names of the model."""
    made: Any = type(f"{model.__name__}ViewSet", (view,), {"model": model})
    return extend_schema_view(**_descriptions(model))(made)  # type: ignore[no-any-return]


def _expansion(model: type[Record]) -> list[OpenApiParameter]:
    references = list(expandable(model))
    if not references:
        return []
    found = expand_parameter(references)
    return [
        OpenApiParameter(
            found["name"],
            found["schema"],
            description=f"{found['description']} Then there is no ETag.",
            style="form",
            explode=False,
        )
    ]


def _descriptions(model: type[Record]) -> dict[str, Any]:
    name, one = model.catalog_name, model._meta.verbose_name
    many = model._meta.verbose_name_plural
    write = [IF_MATCH, ZONE_PARAMETER, VERSION_HEADER]
    create = [ZONE_PARAMETER, IDEMPOTENCY_KEY, VERSION_HEADER, LOCATION_HEADER]
    said: dict[str, tuple[str, str, list[OpenApiParameter]]] = {
        "list": ("list", f"List {many}", [ZONE_PARAMETER]),
        "retrieve": (
            "get",
            f"Read one: {one}",
            [
                _DELETED,
                *_expansion(model),
                IF_NONE_MATCH,
                ZONE_PARAMETER,
                VERSION_HEADER,
            ],
        ),
        "create": ("create", f"Create one: {one}", create),
        "update": ("replace", f"Replace one: {one}", write),
        "partial_update": ("change", f"Change one: {one}", write),
        "destroy": ("delete", f"Delete one: {one}", [IF_MATCH, ZONE_PARAMETER]),
        "restore": (
            "restore",
            f"Bring a deleted one back: {one}",
            [*write, IDEMPOTENCY_KEY],
        ),
    }
    special: dict[str, dict[str, Any]] = {
        "list": {
            "responses": {200: answer_serializer(model)(many=True), **_FILES},
        },
        "retrieve": {"responses": {200: answer_serializer(model), 304: _KNOWN}},
        "destroy": {"request": None, "responses": {204: None}},
        "restore": {"request": None},
    }
    return {
        action: extend_schema(
            tags=[name],
            operation_id=f"{verb}{name}",
            summary=summary,
            parameters=parameters,
            **special.get(action, {}),
        )
        for action, (verb, summary, parameters) in said.items()
    }
