"""The search: suggestions for the box while somebody types, and a page of results."""

from __future__ import annotations

from typing import Final

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from platform_site.search_sources import LONGEST, Search, find

# So long names are compared while somebody types, and once somebody waits for a page.
TYPING_SECONDS: Final = 0.06
PAGE_SECONDS: Final = 1.0


@never_cache
@vary_on_headers("HX-Request")
def search_page(request: HttpRequest) -> HttpResponse:
    """Return the suggestions for what was typed so far, or the page of results."""
    if not request.headers.get("HX-Request"):
        return _page(request)
    if not admin.site.has_permission(request):
        # Redirect the whole window to the sign-in, not the box.
        return HttpResponse(headers={"HX-Refresh": "true"})
    return _suggestions(request)


@require_safe
def _suggestions(request: HttpRequest) -> HttpResponse:
    search = Search(request, _typed(request), TYPING_SECONDS)
    shown = {"search": search, "found": find(search)}
    return render(request, "search/suggestions.html", shown)


@admin.site.admin_view
@require_safe
def _page(request: HttpRequest) -> HttpResponse:
    search = Search(request, _typed(request), PAGE_SECONDS)
    context = {
        **admin.site.each_context(request),
        "title": _("Search"),
        "search": search,
        "found": find(search),
        "longest": LONGEST,
    }
    return render(request, "search/page.html", context)


def _typed(request: HttpRequest) -> str:
    return request.GET.get("q", "")
