"""The API paths of documents, with their OpenAPI descriptions."""

from __future__ import annotations

from itertools import chain
from typing import Any

from django.urls import URLPattern, URLResolver
from drf_spectacular.utils import extend_schema, extend_schema_view, inline_serializer

from documents.api.views import CreateFromViewSet, DocumentViewSet
from documents.creation import Creation, creations
from documents.models import Document
from documents.serializers import MODELS
from importer.api import IDEMPOTENCY_KEY, IF_MATCH
from platform_site.records.api.answers import answer_serializer
from platform_site.records.api.paths import (
    LOCATION_HEADER,
    VERSION_HEADER,
    record_paths,
    routed,
)
from platform_site.records.api.zones import ZONE_PARAMETER


def document_paths() -> list[URLPattern | URLResolver]:
    """Return the paths of all documents and of creating one from another."""
    paths = [record_paths(model, _document_view(model)) for model in MODELS.values()]
    paths += [_creation_paths(creation) for creation in creations()]
    return [*chain.from_iterable(paths)]


def _document_view(model: type[Document]) -> type[DocumentViewSet]:
    name, one = model.catalog_name, model._meta.verbose_name
    made: Any = type("DescribedViewSet", (DocumentViewSet,), {})
    described = {
        f"{verb}_row": extend_schema(
            tags=[name],
            operation_id=f"{verb}{name}",
            summary=f"{verb.capitalize()} one: {one}",
            parameters=[IF_MATCH, IDEMPOTENCY_KEY, VERSION_HEADER],
            request=None,
        )
        for verb in ("post", "unpost")
    }
    view: type[DocumentViewSet] = extend_schema_view(**described)(made)
    return view


def _creation_paths(creation: Creation) -> list[URLPattern | URLResolver]:
    source, target = creation.source, MODELS[creation.target]
    name = f"{creation.target}From{source}"
    models = {"source": MODELS[source], "model": target}
    made: Any = type(name, (CreateFromViewSet,), models)
    serializer: Any = answer_serializer(target)
    filled = ", ".join(sorted(creation.fills))
    description = (
        f"The copy is not posted. It fills {filled}; give the rest, and values that "
        "should differ, in `overrides`."
    )
    given = {"overrides": serializer(partial=True, required=False)}
    view: Any = extend_schema_view(
        create=extend_schema(
            tags=[source],
            operation_id=f"create{name}",
            summary=f"Create one from it: {target._meta.verbose_name}",
            description=description,
            parameters=[
                ZONE_PARAMETER,
                IDEMPOTENCY_KEY,
                VERSION_HEADER,
                LOCATION_HEADER,
            ],
            request=inline_serializer(name, given),
            responses={201: serializer},
        )
    )(made)
    return routed(f"{source}/<int:pk>/create/{creation.target}", view, name)
