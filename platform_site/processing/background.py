"""Executions without waiting, in the API: `Prefer: respond-async` (RFC 7240)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django.urls import reverse
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from importer import Problem, Refusal
from platform_site.accounts.models import ApiKey
from platform_site.processing.processor import DataProcessor

_ASYNC: Final = "respond-async"
# What runs the jobs carries them out, a room above this one.
_REQUEST_EXECUTION: Final = "platform_site.scheduling.requests.request_execution"
RETRY_SECONDS: Final = 2
PREFER: Final = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description="With `respond-async` the response is 202 at once, and `Location` has "
    "the address at which the execution can be read until it has ended. Other "
    "preferences are ignored.",
)


class ExecutionSerializer(serializers.Serializer[Any]):
    """An execution that was requested."""

    id = serializers.IntegerField()
    processor = serializers.CharField()
    status = serializers.ChoiceField(
        ["Waiting", "Running", "Completed", "Failed", "Interrupted"],
        help_text="The first two are not final.",
    )
    startedBy = serializers.CharField(source="started_by")
    requestedAt = serializers.DateTimeField(source="due_at")
    startedAt = serializers.DateTimeField(source="started_at", allow_null=True)
    finishedAt = serializers.DateTimeField(source="finished_at", allow_null=True)
    result = extend_schema_field(OpenApiTypes.OBJECT)(serializers.JSONField)(
        help_text="The result of the processor once it is completed, before that {}."
    )
    message = serializers.CharField(
        help_text="Why it failed or was interrupted, otherwise empty."
    )


ACCEPTED: Final = OpenApiResponse(
    ExecutionSerializer,
    description="Only with `Prefer: respond-async`. The execution was stored and is "
    "carried out as soon as possible.",
)


def is_wanted(request: Request) -> bool:
    """Return whether a request asks for a response before the execution."""
    preferences = request.headers.get("Prefer", "").split(",")
    return any(
        preference.partition(";")[0].strip().lower() == _ASYNC
        for preference in preferences
    )


def requested(request: Request, processor: type[DataProcessor]) -> Response:
    """Store the execution that a request asks for, and say where it can be read."""
    if not isinstance(request.data, dict):
        raise no_object()
    key = request.auth if isinstance(request.auth, ApiKey) else None
    request_execution = import_string(_REQUEST_EXECUTION)
    execution = request_execution(
        processor.__name__,
        request.data,
        user=request.user,
        api_key=key,
        time_zone=request.headers.get("X-Time-Zone", ""),
    )
    headers = {
        "Location": reverse("execution", args=[execution.pk]),
        "Preference-Applied": _ASYNC,
        "Retry-After": str(RETRY_SECONDS),
    }
    data = ExecutionSerializer(execution).data
    return Response(data, status=HTTPStatus.ACCEPTED, headers=headers)


def no_object() -> Refusal:
    """Return the refusal of a body that isn't an object."""
    return Refusal([Problem("", _("Send the input as one JSON object."))])
