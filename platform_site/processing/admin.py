"""Shows data processors on the start page of the administration, to whoever may execute
one; the pages themselves are `platform_site.processing.pages`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

from platform_site.processing.models import Processor
from platform_site.processing.services import allowed_processors

if TYPE_CHECKING:
    from django.http import HttpRequest

    _ModelAdmin = admin.ModelAdmin[Processor]
else:
    _ModelAdmin = admin.ModelAdmin


@admin.register(Processor)
class ProcessorAdmin(_ModelAdmin):
    """Lead to the list of processors, which are classes and no rows."""

    def get_urls(self) -> list[Any]:
        """Return the one path that Django's own pages link to."""
        leads = RedirectView.as_view(pattern_name="processors")
        return [path("", leads, name="processing_processor_changelist")]

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the section to whoever may execute a processor."""
        return bool(allowed_processors(request.user))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Tell the same of the one entry in it."""
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: processors are written by programmers."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False
