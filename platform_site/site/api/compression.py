"""The compression of large answers of the API, and of its description, for clients that
accept it."""

from __future__ import annotations

import re
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

from platform_site.site.api.middleware import is_api

# Smaller ones take one packet anyway.
SMALLEST_BYTES: Final = 1024
_DESCRIPTION: Final = "/swagger"
_TEXTS: Final = re.compile(
    r"text/|application/(?:\w+\+)?(?:json|xml)\b|application/problem\+json"
)
_REFUSED: Final = re.compile(r"\bgzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)")


class CompressionMiddleware(GZipMiddleware):
    """A middleware that compresses texts, with a length that an attacker can't use.

    An answer for a signed-in browser may have a secret beside a text that the attacker
    chose; Django therefore adds a random number of bytes (BREACH).
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Compress an answer that is large enough."""
        path = request.path_info
        described = path.startswith(_DESCRIPTION)
        if not (is_api(path) or described) or not _is_worth_it(request, response):
            return response
        tag = response.headers.get("ETag")
        compressed = super().process_response(request, response)
        if tag is not None:
            # It says which version of the row this is, for If-Match as well, where a
            # weak one would match nothing.
            compressed.headers["ETag"] = tag
        return compressed


def _is_worth_it(request: HttpRequest, response: Any) -> bool:
    if not _TEXTS.match(response.headers.get("Content-Type", "")):
        return False
    patch_vary_headers(response, ("Accept-Encoding",))
    if _REFUSED.search(request.headers.get("Accept-Encoding", "")):
        return False
    return response.streaming or len(response.content) >= SMALLEST_BYTES
