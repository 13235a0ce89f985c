"""The OpenAPI description and the page that shows it, made from URL configuration and
views and served with local files only."""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from platform_site.site.api import field_descriptions  # noqa: F401 - found by the library
from platform_site.site.api.problems import KINDS, MEDIA_TYPE

_METHODS: Final = ("get", "post", "put", "patch", "delete")
_OF_METHODS: Final = {"get": ["not-acceptable"], "delete": ["row-in-use"]}
_OF_PARAMETERS: Final = {
    "Idempotency-Key": ["request-in-progress", "idempotency-mismatch"],
    "If-Match": ["changed-meanwhile"],
    "after": ["changes-archived"],
}
_MAKING: Final = threading.Lock()
_GUESSING: Final = ("/Auth/login", "/Account/change-password")
_PROBLEM: Final = json.loads(
    Path(__file__).with_name("problem.schema.json").read_text("utf-8")
)
_PROBLEM["properties"]["code"]["enum"] = list(KINDS)


class JsonRenderer(OpenApiJsonRenderer):
    """A renderer with the media type of OpenAPI."""

    media_type = "application/json"


class DescriptionView(APIView):
    """The OpenAPI description of the API."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    renderer_classes = (JsonRenderer,)
    schema = None

    def get(self, request: Request) -> Response:
        """Return the description, which is made once."""
        return Response(_description())


class InteractiveView(SpectacularSwaggerSplitView):
    """The page to read the description and try calls."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    # Its response to OPTIONS would need a template.
    http_method_names = ("get", "head")
    url_name = "api-description"
    template_name = "api/swagger.html"

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the page, or its script."""
        answer: Response = super().get(request)  # type: ignore[no-untyped-call]
        # The page's scripts insert styles and images.
        answer["Content-Security-Policy"] = (
            "default-src 'self'; style-src 'self' 'unsafe-inline'; "
            "img-src 'self' data:; frame-ancestors 'none'"
        )
        return answer


def _description() -> dict[str, Any]:
    # The library loads its extensions lazily, and not thread-safely.
    with _MAKING:
        return _made_description()


@functools.cache
def _made_description() -> dict[str, Any]:
    # In English, whoever requests it first.
    with translation.override(settings.LANGUAGE_CODE):
        found: dict[str, Any] = SchemaGenerator().get_schema(public=True)
    return found


def only_the_interface(endpoints: Any, **kwargs: Any) -> Any:
    """Leave out everything outside of the API, for drf-spectacular."""
    return [each for each in endpoints if each[0].startswith("/api/")]


def describe_errors(result: Any, **kwargs: Any) -> Any:
    """Add the possible problems to every operation, for drf-spectacular."""
    result["components"].setdefault("schemas", {})["Problem"] = _PROBLEM
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            if method not in _METHODS:
                continue
            answers = operation["responses"]
            for status, codes in _problems(path, method, operation).items():
                answers.setdefault(str(status), {"description": _described(codes)})
            for status, answer in answers.items():
                if int(status) >= 400:
                    answer["content"] = content
            operation["responses"] = dict(sorted(answers.items()))
    return result


def _described(codes: list[str]) -> str:
    return " ".join(f"`{code}`: {KINDS[code].title}." for code in codes)


def _problems(path: str, method: str, operation: dict[str, Any]) -> dict[int, Any]:
    """Return the possible problem codes of an operation by status."""
    found: dict[int, list[str]] = {}
    for code in _codes(path, method, operation):
        codes = found.setdefault(KINDS[code].status, [])
        if code not in codes:
            codes.append(code)
    return found


def _codes(path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    yield from ("invalid", "unknown-parameter", "unavailable")
    names = {each["name"] for each in operation.get("parameters", ())}
    if any(operation.get("security", ())):
        yield from ("not-signed-in", "not-allowed")
    if "{" in path or "page" in names:
        yield "not-found"
    if "{id}" in path:
        yield "gone"
    for name, codes in _OF_PARAMETERS.items():
        if name in names:
            yield from codes
    yield from _OF_METHODS.get(method, ())
    if method in ("post", "put", "patch"):
        yield from _codes_of_writing(path, operation)
    if path.endswith(_GUESSING):
        yield from ("not-signed-in", "too-many-attempts")
    elif "/Auth/" in path:
        yield "not-signed-in"


def _codes_of_writing(path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield from ("too-large", "unsupported-media-type")
    if any(operation.get("security", ())):
        yield from ("limit-reached", "not-enough-stock")
    if "/Processors/" in path:
        yield "import-in-progress"
