"""Puts the import page into the admin site's lists: whoever looks for runs is led there."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from importer import registry
from importer.admin_page.access import ReadOnlyAdmin
from importer.models import ImportRun


@admin.register(ImportRun)
class ImportRunAdmin(ReadOnlyAdmin):
    """Lead from the places of a model to the import page."""

    def changelist_view(
        self, request: HttpRequest, extra_context: Any = None
    ) -> HttpResponse:
        """Lead to the page."""
        return HttpResponseRedirect(reverse("import-page"))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """Lead to the report of a run."""
        return HttpResponseRedirect(f"{reverse('import-page')}?run={object_id}")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let those in who may import."""
        return registry.may_import(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the page to those who may import."""
        return registry.may_import(request.user)
