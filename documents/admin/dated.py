"""The date navigation of lists, from years to days. It is left out if a date can't be
shown in the reader's zone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

# Beyond these the local date is out of range in some zone.
_EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
_LATEST = datetime(9999, 12, 29, tzinfo=UTC)


class DatedMixin(admin.ModelAdmin[Any]):
    """The date navigation of a list, unless one of its dates has no local time."""

    date_hierarchy = "date"

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, without date navigation if some date can't be shown."""
        shown = super().get_changelist_instance(request)
        edges = Q(date__lt=_EARLIEST) | Q(date__gt=_LATEST)
        if self.model._base_manager.filter(edges).exists():
            shown.date_hierarchy = None
        return shown
