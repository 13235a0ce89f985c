"""Forms and addresses are in UTF-8. Django reads both in whatever charset a request names,
also in those that are none for texts, and fails over a form in another one even where it
refuses the form."""

from __future__ import annotations

import codecs
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.utils.translation import gettext as _

from platform_site.middleware import Middleware
from platform_site.site.api.middleware import is_api
from platform_site.site.api.problems import problem

_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")


class CharsetMiddleware(Middleware):
    """The refusal of a form in another charset; everything else is read as UTF-8."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request."""
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
    page = loader.render_to_string("400.html")
    return HttpResponse(page, status=HTTPStatus.BAD_REQUEST)
