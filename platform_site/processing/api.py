"""The API of data processors: one path for each, described by its declared input and
result. `GET` returns the default input, `POST` executes it, or has it executed."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django.urls import URLPattern, path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import IDEMPOTENCY_KEY, DeclaredOnly, as_http
from platform_site.idempotency.views import carried_out, repeatable
from platform_site.processing import background, services
from platform_site.processing.background import requested
from platform_site.processing.errors import ProcessorBusy, UnknownProcessor
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import registered_processors
from platform_site.processing.rights import authorise
from platform_site.records.api.zones import ZONE_PARAMETER

_NAME = OpenApiParameter(
    "name", str, OpenApiParameter.PATH, description="Name of the table source."
)


class ProcessorSerializer(serializers.Serializer[Any]):
    """A data processor."""

    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()


class ProcessorsView(DeclaredOnly):
    """The list of data processors."""

    @extend_schema(
        operation_id="listProcessors",
        summary="List the processors you may execute",
        tags=["Processors"],
        responses=ProcessorSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Return name, title and description of each processor that you may execute."""
        allowed = services.allowed_processors(request.user)
        listed = [services.about(each) for each in allowed]
        return Response(ProcessorSerializer(listed, many=True).data)


class ProcessorView(DeclaredOnly):
    """The view of one data processor; each has a subclass."""

    processor: ClassVar[type[DataProcessor]]

    def get(self, request: Request) -> Response:
        """Return the input with its defaults."""
        return _input(request, self.processor)

    def post(self, request: Request) -> Response:
        """Execute the processor with the given input, and return the result."""
        return _executed(self, request, self.processor)


class ProvidedProcessorView(DeclaredOnly):
    """The view of the processors that come and go, such as those of table sources."""

    @extend_schema(
        operation_id="newSource",
        summary="The input of a table source with its defaults",
        tags=["Processors"],
        parameters=[_NAME],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, name: str) -> Response:
        """Every enabled table source is a data processor of its name. The input of one
        that fetches its tables has no `fileId`."""
        return _input(request, _named(name))

    @extend_schema(
        operation_id="executeSource",
        summary="Import a table through a table source",
        tags=["Processors"],
        parameters=[_NAME, ZONE_PARAMETER, IDEMPOTENCY_KEY, background.PREFER],
        request=OpenApiTypes.OBJECT,
        responses={200: OpenApiTypes.OBJECT, 202: background.ACCEPTED},
    )
    def post(self, request: Request, name: str) -> Response:
        """Execute the processor with the given input, and return the result: the same as
        that of `ImportItemsFromCsv`."""
        return _executed(self, request, _named(name))


def _named(name: str) -> type[DataProcessor]:
    try:
        return services.get_processor(name)
    except UnknownProcessor as unknown:
        raise NotFound(str(unknown)) from None


def _input(request: Request, processor: type[DataProcessor]) -> Response:
    authorise(request.user, processor)
    return Response(services.new_input(processor))


def _executed(
    view: DeclaredOnly, request: Request, processor: type[DataProcessor]
) -> Response:
    authorise(request.user, processor)
    if background.is_wanted(request):
        handler = repeatable(lambda _view, asked: requested(asked, processor))
        return cast(Response, handler(view, request))
    return cast(
        Response, carried_out(view, request, lambda: _execute(request, processor))
    )


def _execute(request: Request, processor: type[DataProcessor]) -> Response:
    if not isinstance(request.data, dict):
        raise background.no_object()
    try:
        execution = services.execute(
            processor.__name__,
            request.data,
            user=request.user,
            time_zone=request.headers.get("X-Time-Zone", ""),
        )
    except ProcessorBusy as busy:
        raise as_http(busy.running) from None
    milliseconds = f"{execution.seconds * 1000:.0f}"
    timing = {"Server-Timing": f"execute;dur={milliseconds}"}
    return Response(execution.result, headers=timing)


def view_of(processor: type[DataProcessor]) -> type[ProcessorView]:
    """Return the view of a processor, described by its declaration."""
    about = services.about(processor)
    name = about.name
    view = type(f"{name}View", (ProcessorView,), {"processor": processor})
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"new{name}",
            summary=f"{about.title}: the input with its defaults",
            tags=["Processors"],
            responses=processor.Input,
        ),
        post=extend_schema(
            operation_id=f"execute{name}",
            summary=about.title,
            description=about.description,
            tags=["Processors"],
            parameters=[ZONE_PARAMETER, IDEMPOTENCY_KEY, background.PREFER],
            request=processor.Input,
            responses={200: processor.Result, 202: background.ACCEPTED},
        ),
    )(view)


def paths_of(each: type[DataProcessor]) -> URLPattern:
    """Return the path of one processor."""
    return path(f"Processors/{each.__name__}", view_of(each).as_view())


urlpatterns = [
    path("Processors", ProcessorsView.as_view()),
    *(paths_of(each) for each in registered_processors().values()),
    path("Processors/<str:name>", ProvidedProcessorView.as_view()),
]
