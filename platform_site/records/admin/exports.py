"""The exports of lists: the selected rows as a package, and all rows that the filters
leave as CSV or XLSX."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from importer import registry
from importer.services import NotExportable, Selection, exportable
from platform_site.records.api.filters import FORMATS, JSON
from platform_site.records.errors import Refusal
from platform_site.records.table_files import table_response

_FILES = [kind for kind in FORMATS if kind != JSON]


class ExportMixin(admin.ModelAdmin[Any]):
    """The exports of a list (see `docs/exports.md`)."""

    def get_urls(self) -> list[URLPattern]:
        """Return the paths, with that of the file of the list."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_export"
        view = self.admin_site.admin_view(self.export_view)
        return [path("export.<str:kind>", view, name=name), *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list with links to its files."""
        return super().changelist_view(
            request, {"export_files": _FILES, **(extra_context or {})}
        )

    def export_view(self, request: HttpRequest, kind: str) -> HttpResponseBase:
        """Return the file with all rows that the filters of the list leave."""
        if kind not in _FILES:
            raise Http404
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        try:
            rows = self.get_changelist_instance(request).queryset
            return table_response(self.model, rows, kind, marked=True)
        except IncorrectLookupParameters:
            pass
        except Refusal as refusal:
            for problem in refusal.problems:
                self.message_user(request, problem.message, messages.ERROR)
        return HttpResponseRedirect(f"./?{request.GET.urlencode()}")

    def has_export_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may import and packages can have these rows."""
        may = registry.may_import(request.user)
        return may and self.model.catalog_name in exportable()

    @admin.action(description=_("Export as package"), permissions=["export"])
    def export_selected(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponseBase | None:
        """Return the package with the rows, or show why there can't be one."""
        # The API and its libraries are loaded by the first export, not by every import.
        from importer.api import package_response  # noqa: PLC0415 - as said above

        name = self.model.catalog_name
        selection = Selection(exportable()[name], queryset)
        try:
            return package_response([selection], f"selection:{name}")
        except NotExportable as refusal:
            for sentence in refusal.sentences():
                self.message_user(request, sentence, messages.ERROR)
        return None
