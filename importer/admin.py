"""Puts the import page into the admin site's lists: whoever looks for runs is led there."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import NoReverseMatch, reverse

from importer import registry
from importer.models import ImportRun


@admin.register(ImportRun)
class ImportRunAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # generic in stubs alone
    """The entry of the admin site that leads to the import page."""

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

    def history_view(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Raise Http404: nobody edits runs, so they have no history."""
        raise Http404

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: the engine alone writes runs."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let those in who may import."""
        return registry.may_import(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the page to those who may import, where the project has it."""
        try:
            reverse("import-page")
        except NoReverseMatch:
            return False
        return registry.may_import(request.user)
