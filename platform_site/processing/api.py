"""The API of data processors: one path for each, described by its declared input and
result. `GET` returns the default input, `POST` executes it."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from drf_spectacular.utils import (
    extend_schema,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from importer.api import IDEMPOTENCY_KEY, DeclaredOnly, as_http
from platform_site.idempotency.views import carried_out
from platform_site.processing import services
from platform_site.processing.errors import ProcessorBusy
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import processors
from platform_site.processing.rights import authorise
from platform_site.records.api.zones import ZONE_PARAMETER
from platform_site.records.errors import Problem, Refusal


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
        authorise(request.user, self.processor)
        return Response(services.new_input(self.processor))

    def post(self, request: Request) -> Response:
        """Execute the processor with the given input, and return the result."""
        authorise(request.user, self.processor)
        return cast(
            Response, carried_out(self, request, lambda: self._execute(request))
        )

    def _execute(self, request: Request) -> Response:
        if not isinstance(request.data, dict):
            raise Refusal([Problem("", _("Send the input as one JSON object."))])
        try:
            execution = services.execute(
                self.processor.__name__,
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
            parameters=[ZONE_PARAMETER, IDEMPOTENCY_KEY],
            request=processor.Input,
            responses={200: processor.Result},
        ),
    )(view)


def paths_of(each: type[DataProcessor]) -> URLPattern:
    """Return the path of one processor."""
    return path(f"Processors/{each.__name__}", view_of(each).as_view())


urlpatterns = [
    path("Processors", ProcessorsView.as_view()),
    *(paths_of(each) for each in processors().values()),
]
