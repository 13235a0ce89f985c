"""The exports of lists: the selected rows as a package, and all rows that the filters
leave as CSV, XLSX or a package; and the way to import into a list."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
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

    def export_links(
        self, request: HttpRequest, changelist: Any
    ) -> list[tuple[Any, str]]:
        """Return the files of a list that a user may have, with their addresses."""
        kinds: list[tuple[Any, str]] = [(kind.upper(), kind) for kind in _FILES]
        if self.has_export_permission(request):
            kinds.append((_("Package (JSON)"), JSON))
        query = changelist.get_query_string()
        return [(text, f"export.{kind}{query}") for text, kind in kinds]

    def import_links(self, request: HttpRequest) -> list[tuple[Any, str]]:
        """Return the pages that import into the list, and its empty table to fill in."""
        name = self.model.catalog_name
        if not self.has_export_permission(request):
            return []
        target = urlencode({"target": name})
        template = urlencode({"target": name, "format": "xlsx"})
        return [
            (_("Import a table"), f"{reverse('import-table')}?{target}"),
            (
                _("Template to fill in (XLSX)"),
                f"{reverse('import-template')}?{template}",
            ),
            (_("Import a package"), reverse("import-page")),
        ]

    def export_view(self, request: HttpRequest, kind: str) -> HttpResponseBase:
        """Return the file with all rows that the filters of the list leave."""
        if kind not in FORMATS:
            raise Http404
        allowed = self.has_view_or_change_permission(request)
        if not allowed or (kind == JSON and not self.has_export_permission(request)):
            raise PermissionDenied
        answer: HttpResponseBase | None = None
        try:
            rows = self.get_changelist_instance(request).queryset
            if kind == JSON:
                answer = self._package(request, rows)
            else:
                answer = table_response(self.model, rows, kind, marked=True)
        except IncorrectLookupParameters:
            pass
        except Refusal as refusal:
            for problem in refusal.problems:
                self.message_user(request, problem.message, messages.ERROR)
        if answer is None:
            return HttpResponseRedirect(f"./?{request.GET.urlencode()}")
        return answer

    def has_export_permission(self, request: Any) -> bool:
        """Return whether the user may import and packages can have these rows.

        It is asked for the actions, the files and the imports of a list.
        """
        if not hasattr(request, "may_import"):
            request.may_import = registry.may_import(request.user)
        return request.may_import and self.model.catalog_name in exportable()

    @admin.action(description=_("Export as package"), permissions=["export"])
    def export_selected(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponseBase | None:
        """Return the package with the selected rows, or show why there can't be one."""
        return self._package(request, queryset)

    def _package(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponseBase | None:
        """Return the package with some rows, or show why there can't be one."""
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
