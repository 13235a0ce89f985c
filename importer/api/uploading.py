"""The base of the endpoints that take a file."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from importer.api import uploads
from importer.api.base import ImportViewSet

_JSON = "application/json"


class UploadViewSet(ImportViewSet):
    """An endpoint that takes JSON, and forms with files."""

    def initialize_request(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> Request:
        """Prepare for an upload before anything reads the body."""
        if request.method == "POST":
            uploads.take_in(request)
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the length of the body first: cookie authentication reads the form."""
        uploads.refuse_by_length(request._request)
        super().initial(request, *args, **kwargs)

    def get_parsers(self) -> list[BaseParser]:
        """Return the project's JSON parsers, and those of forms with files."""
        usual: Any = api_settings.DEFAULT_PARSER_CLASSES
        json = [parser() for parser in usual if parser.media_type == _JSON]
        return [*json, MultiPartParser()]

    def handle_exception(self, exc: Exception) -> Response:
        """Remove the files of a refused upload."""
        uploads.let_go(self.request._request)
        return super().handle_exception(exc)
