"""Content negotiation and metadata of the API: one format per view, and no description
by OPTIONS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

if TYPE_CHECKING:  # it imports this module itself
    from rest_framework.views import APIView


class OneForm(BaseContentNegotiation):
    """Content negotiation with one response format per view; the body's format follows
    its header."""

    def select_parser(
        self, request: Request, parsers: Iterable[BaseParser]
    ) -> BaseParser | None:
        """Return the parser for the media type, None (415) if there is none."""
        given = (request.content_type or "").partition(";")[0].strip().lower()
        return next((p for p in parsers if p.media_type == given), None)

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """Return the first renderer; no request is refused for its ``Accept``."""
        first = next(iter(renderers))
        return first, str(first.media_type)


class NoMetadata(BaseMetadata):
    """A response to OPTIONS with only the header ``Allow``."""

    def determine_metadata(self, request: Request, view: APIView) -> dict[str, Any]:
        """Return an empty object."""
        return {}
