"""UTF-8 for forms and queries. Django decodes both with any charset that a request
names, even unsuitable ones, and fails on a form in another charset."""

from __future__ import annotations

import codecs
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from platform_site.middleware import Middleware
from platform_site.site.api.middleware import is_api
from platform_site.site.api.problems import problem
from platform_site.site.web.errors import bad_request

_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")


class CharsetMiddleware(Middleware):
    """A middleware that refuses forms in other charsets and reads everything else as
    UTF-8."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Handle the request."""
        named = (request.content_params or {}).get("charset")
        if named is not None:
            if request.content_type in _FORMS and not _is_utf_8(named):
                return _refusal(request)
            request.encoding = "utf-8"
        return self._get_response(request)


def _is_utf_8(charset: str) -> bool:
    try:
        return codecs.lookup(charset).name == "utf-8"
    except (LookupError, ValueError):
        return False


def _refusal(request: HttpRequest) -> HttpResponse:
    if is_api(request.path_info):
        sentence = _("Forms must be encoded in UTF-8.")
        return problem("unsupported-media-type", sentence)
    return bad_request(request, ValueError("This charset isn't read."))
