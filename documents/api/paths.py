"""The paths of the documents, and what the documentation says about each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import path
from drf_spectacular.utils import extend_schema, extend_schema_view, inline_serializer

from documents.api.views import CreateFromViewSet, DocumentViewSet
from documents.creation import Creation, creations
from documents.serializers import MODELS
from importer.api.repeats import PARAMETER
from platform_site.records.api.paths import IF_MATCH, record_paths
from platform_site.records.api.zones import ZONE_PARAMETER
from platform_site.records.wire import serializer_of

if TYPE_CHECKING:
    from django.urls import URLPattern

    from documents.models import Document


def document_paths() -> list[URLPattern]:
    """Return the paths of all documents."""
    paths: list[URLPattern] = []
    actions = {"post": "post_row", "unpost": "unpost_row"}
    for model in MODELS.values():
        paths += record_paths(model, _document_view(model), actions)
    return [*paths, *(_creation_path(creation) for creation in creations())]


def _document_view(model: type[Document]) -> type[DocumentViewSet]:
    name, one = model.catalog_name, model._meta.verbose_name
    made: Any = type("DescribedViewSet", (DocumentViewSet,), {})
    described = {
        f"{verb}_row": extend_schema(
            tags=[name],
            operation_id=f"{verb}{name}",
            summary=f"{verb.capitalize()} one: {one}",
            parameters=[IF_MATCH, PARAMETER],
            request=None,
        )
        for verb in ("post", "unpost")
    }
    view: type[DocumentViewSet] = extend_schema_view(**described)(made)
    return view


def _creation_path(creation: Creation) -> URLPattern:
    source, target = creation.source, MODELS[creation.target]
    name = f"{creation.target}From{source}"
    models = {"source": MODELS[source], "model": target}
    made: Any = type(name, (CreateFromViewSet,), models)
    serializer: Any = serializer_of(target)
    filled = ", ".join(sorted(creation.fills))
    description = (
        f"The copy is not posted. It fills {filled}; give the rest, and what is to be "
        "otherwise, in `overrides`."
    )
    given = {"overrides": serializer(partial=True, required=False)}
    view: Any = extend_schema_view(
        create_from=extend_schema(
            tags=[source],
            operation_id=f"create{name}",
            summary=f"Create one from it: {target._meta.verbose_name}",
            description=description,
            parameters=[ZONE_PARAMETER, PARAMETER],
            request=inline_serializer(name, given),
            responses={201: serializer},
        )
    )(made)
    route = f"{source}/<int:pk>/create/{creation.target}"
    pattern: URLPattern = path(route, view.as_view({"post": "create_from"}))
    return pattern
