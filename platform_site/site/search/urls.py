"""The path of the search, below `/admin/`."""

from __future__ import annotations

from django.urls import path

from platform_site.site.search.views import search_page

urlpatterns = [path("search/", search_page, name="search")]
