"""Describes the API as it is served, and shows the description to people: the paths
come from the site map, the words from the views, and everything from this site."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny
from rest_framework.response import Response
from rest_framework.views import APIView

from platform_site.api import field_descriptions
from platform_site.api.errors import MEDIA_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rest_framework.request import Request

__all__ = [
    "DescriptionView",
    "InteractiveView",
    "describe_errors",
    "field_descriptions",
]

_METHODS: Final = ("get", "post", "put", "patch", "delete")
_GUESSING: Final = ("/Auth/login", "/Account/change-password")
_WORDS: Final = {
    400: "The request is not valid; `errors` says where.",
    401: "Nobody is signed in, or not any more.",
    403: "The caller has no right to do this.",
    404: "There is no such row, page or path.",
    409: "The row is in use.",
    412: "Somebody else has changed the row meanwhile.",
    413: "The body is too large.",
    415: "The body is of a kind that is not read here.",
    429: "Too many wrong passwords; `Retry-After` says how long to wait.",
    503: "The database is busy or away; try again in a moment.",
}
_PROBLEM: Final = {
    "type": "object",
    "description": "What went wrong (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence for the caller."},
        "errors": {
            "type": "object",
            "description": "With 400: sentences by property.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
    },
    "required": ["type", "title", "status", "detail"],
}


class JsonRenderer(OpenApiJsonRenderer):
    """Write the description under the name every tool knows."""

    media_type = "application/json"


class DescriptionView(APIView):
    """The description of the API."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    renderer_classes = (JsonRenderer,)
    schema = None

    def get(self, request: Request) -> Response:
        """Return the description, made once."""
        return Response(_description())


class InteractiveView(SpectacularSwaggerSplitView):
    """The page to read the description and try calls."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    url_name = "api-description"
    template_name = "api/swagger.html"

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the page, or its script."""
        answer: Response = super().get(request)  # type: ignore[no-untyped-call]
        # The page's own programs put styles into it, and draw from data.
        answer["Content-Security-Policy"] = (
            "default-src 'self'; style-src 'self' 'unsafe-inline'; "
            "img-src 'self' data:; frame-ancestors 'none'"
        )
        return answer


@functools.cache
def _description() -> dict[str, Any]:
    # For programs and those who write them, whoever asked for it first.
    with translation.override(settings.LANGUAGE_CODE):
        found: dict[str, Any] = SchemaGenerator().get_schema(public=True)
    return found


def only_the_interface(endpoints: Any, **kwargs: Any) -> Any:
    """Leave out what is no part of the API, for drf-spectacular."""
    return [each for each in endpoints if each[0].startswith("/api/")]


def describe_errors(result: Any, **kwargs: Any) -> Any:
    """Add to every operation the problems it may answer with, for drf-spectacular."""
    result["components"].setdefault("schemas", {})["Problem"] = _PROBLEM
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            if method not in _METHODS:
                continue
            answers = operation["responses"]
            for code in _codes(path, method, operation):
                answers.setdefault(str(code), {"description": _WORDS[code]})
            for code, answer in answers.items():
                if int(code) >= 400:
                    answer["content"] = content
            operation["responses"] = dict(sorted(answers.items()))
    return result


def _codes(path: str, method: str, operation: dict[str, Any]) -> Iterator[int]:
    yield from (400, 503)
    names = {each["name"] for each in operation.get("parameters", ())}
    if any(operation.get("security", ())):
        yield from (401, 403)
    if "{" in path or "page" in names:
        yield 404
    if "If-Match" in names:
        yield 412
    if method == "delete":
        yield 409
    if method in ("post", "put", "patch"):
        yield from (413, 415)
    if path.endswith(_GUESSING):
        yield from (401, 429)
    elif "/Auth/" in path:
        yield 401
