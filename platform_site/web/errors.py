"""The page of a request that failed: it names the request, so that whoever reads the log
finds what a person tells of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponseServerError
from django.template import loader

from platform_site.web.request_ids import current_request_id

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def server_error(_request: HttpRequest) -> HttpResponse:
    """Return the page, made without the request: what failed may be about that."""
    page = loader.get_template("500.html")
    return HttpResponseServerError(page.render({"request_id": current_request_id()}))
