"""The page after a sign-in: the requested one, or the start page if that doesn't exist
or isn't permitted."""

from __future__ import annotations

import copy
import logging
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote, urlsplit

from django.contrib.messages.storage import default_storage
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve, reverse
from django.utils.datastructures import MultiValueDict
from django.utils.http import url_has_allowed_host_and_scheme

logger = logging.getLogger("platform.host")
_MOST_REDIRECTS = 3


def page_after_sign_in(request: HttpRequest, wanted: str) -> str:
    """Return the URL after signing in, `wanted` if there is such a page.

    The page itself is called in the name of the user, because only it knows the rights.
    """
    start, address = reverse("admin:index"), wanted
    for _hop in range(_MOST_REDIRECTS):
        if not _is_ours(request, address):
            return start
        answer = _answer_at(request, address)
        if answer is None or answer.status_code >= HTTPStatus.BAD_REQUEST:
            return start
        leads_to = answer.headers.get("Location")
        if not leads_to:
            return wanted
        address = leads_to
    return start


def _is_ours(request: HttpRequest, address: str) -> bool:
    secure = request.is_secure()
    is_ours = url_has_allowed_host_and_scheme(address, request.get_host(), secure)
    # The login would redirect in a loop.
    return is_ours and urlsplit(address).path != reverse("admin:login")


def _answer_at(request: HttpRequest, address: str) -> HttpResponseBase | None:
    """Return a page's response to this user, None if it fails."""
    place = urlsplit(address)
    path = unquote(place.path)
    try:
        match = resolve(path)
        asked = _asking(request, path, place.query)
        asked.resolver_match = match
        answer: HttpResponseBase = match.func(asked, *match.args, **match.kwargs)
    except (Resolver404, Http404, PermissionDenied):
        return None
    except Exception:  # signing in must work even if that page fails
        logger.exception("The page %s failed after a sign-in.", path)
        return None
    return answer


def _asking(request: HttpRequest, path: str, query: str) -> Any:
    """Return a request for another page by the same user; changes to it are
    discarded."""
    asked: Any = copy.copy(request)
    asked.method, asked.path, asked.path_info = "GET", path, path
    asked.META = {
        **request.META,
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": query,
    }
    asked.GET, asked._post = QueryDict(query), QueryDict()
    asked._files = MultiValueDict()
    asked._messages = default_storage(asked)
    return asked
