"""Lists with date navigation from years to days, which is left out where a date cannot
be shown in the reader's zone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

# Beyond these some zone has no date any more.
_EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
_LATEST = datetime(9999, 12, 29, tzinfo=UTC)


class DatedMixin(admin.ModelAdmin[Any]):
    """The navigation by years, months and days, wherever the dates of the list allow
    it."""

    date_hierarchy = "date"

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, without the way down where it could not be shown."""
        shown = super().get_changelist_instance(request)
        edges = Q(date__lt=_EARLIEST) | Q(date__gt=_LATEST)
        if self.model._base_manager.filter(edges).exists():
            shown.date_hierarchy = None
        return shown
