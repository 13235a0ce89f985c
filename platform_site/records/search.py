"""What the search above all pages finds here: rows of every catalog and document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.contrib import admin

from platform_site import navigation
from platform_site.records.admin import RecordAdmin
from platform_site.records.models import Record
from platform_site.records.row_search import Kind, found_rows
from platform_site.search_sources import Hits, Search, register


def rows(search: Search) -> Iterator[Hits]:
    """Yield the business rows that match, of each kind that the person may view."""
    return found_rows(search, list(_kinds(search.request)))


def _kinds(request: Any) -> Iterator[Kind]:
    icons = {each.model: each.area.icon for each in navigation.registered()}
    for model in apps.get_models():
        if not issubclass(model, Record) or not admin.site.is_registered(model):
            continue
        pages = admin.site.get_model_admin(model)
        if isinstance(pages, RecordAdmin) and pages.has_view_permission(request):
            icon = icons.get(model._meta.label_lower, "table")
            yield Kind(pages, pages.get_queryset(request).order_by(), icon)


register(rows, seen_by=lambda user: user.is_staff)
