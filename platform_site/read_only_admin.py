"""The base of read-only admin pages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """Admin pages of rows that nobody can edit."""

    change_form_template = "admin/read_only.html"

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False."""
        return False

    has_change_permission = has_add_permission
    has_delete_permission = has_add_permission

    def history_view(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Raise Http404: rows that can't be edited have no history."""
        raise Http404
