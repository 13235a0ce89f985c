"""The list of all problems at the URL of their types: a page for people, JSON for
programs, without authentication."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from platform_site.site.api.problems import KINDS

_JSON, _HTML = "application/json", "text/html"


@require_safe
def kinds(request: HttpRequest, code: str = "") -> HttpResponse:
    """Return all kinds of problems, or the one with a code."""
    if code and code not in KINDS:
        raise Http404
    listed = [_entry(each) for each in ([code] if code else KINDS)]
    if request.get_preferred_type([_JSON, _HTML]) == _HTML:
        return render(request, "api/problems.html", {"kinds": listed})
    return JsonResponse(listed[0] if code else {"results": listed})


def _entry(code: str) -> dict[str, Any]:
    kind = KINDS[code]
    return {
        "code": code,
        "type": f"/problems/{code}",
        "status": kind.status,
        "title": str(kind.title),
        "remedy": str(kind.remedy),
        "members": list(kind.members),
    }
