"""The entry of the import page in the admin site's index."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import NoReverseMatch, reverse

from importer import registry
from importer.models import ImportRun


@admin.register(ImportRun)
class ImportRunAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # generic in stubs alone
    """The entry in the admin index that leads to the import page."""

    def changelist_view(
        self, request: HttpRequest, extra_context: Any = None
    ) -> HttpResponse:
        """Redirect to the import page."""
        return HttpResponseRedirect(reverse("import-page"))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """Redirect to the report of a run."""
        return HttpResponseRedirect(f"{reverse('import-page')}?run={object_id}")

    def history_view(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Raise Http404: runs can't be edited, so they have no history."""
        raise Http404

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: only the engine creates runs."""
        return False

    has_change_permission = has_add_permission
    has_delete_permission = has_add_permission

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may import."""
        return registry.may_import(request.user)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may import and the project has the page."""
        try:
            reverse("import-page")
        except NoReverseMatch:
            return False
        return registry.may_import(request.user)
