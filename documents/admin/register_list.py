"""The read-only list of a register, with totals of the filtered rows and a link from
each row to the document that posted it."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.cache import patch_vary_headers
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from documents.admin.totals import Totals
from documents.serializers import MODELS
from platform_site.read_only_admin import ReadOnlyAdmin
from platform_site.records.admin import (
    ReferenceFiltersMixin,
    ReferenceSearchMixin,
    is_key,
)
from platform_site.records.admin.formatting import day_or_moment


class KindFilter(admin.SimpleListFilter):
    """A filter by the kind of document that posted the rows."""

    title = _("kind of document")
    parameter_name = "document_type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return every kind of document."""
        return [
            (name, capfirst(model._meta.verbose_name_plural))
            for name, model in MODELS.items()
        ]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the rows of the chosen kind."""
        kind = self.value()
        return queryset if kind is None else queryset.filter(document_type=kind)


class RegisterList(ChangeList):
    """A page of register rows with the codes of their documents: one query per kind."""

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page and the codes of its documents."""
        super().get_results(request)
        wanted: dict[str, set[int]] = {}
        for row in self.result_list:
            if hasattr(row, "document_type"):
                wanted.setdefault(row.document_type, set()).add(row.document_id)
        codes = {
            (kind, key): code
            for kind, keys in wanted.items()
            for key, code in MODELS[kind]
            ._base_manager.filter(pk__one_of=sorted(keys))
            .values_list("pk", "code")
        }
        for row in self.result_list:
            if hasattr(row, "document_type"):
                row.document_code = codes.get((row.document_type, row.document_id))


class RegisterAdmin(ReadOnlyAdmin, ReferenceSearchMixin, ReferenceFiltersMixin):
    """The read-only admin of a register, which only posting writes."""

    purpose: Any = _("Posting a document writes here; nothing is typed.")

    list_display_links = None
    list_per_page = 50
    actions = None
    ordering: ClassVar[Any] = ("-date", "-id")
    change_list_template = "documents/register.html"

    class Media:
        css: ClassVar[Any] = {"all": ("documents/documents.css",)}

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list class that fetches document codes."""
        return RegisterList

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list with the totals below it.

        Those of more rows than are counted take longer than the page, which asks for
        them when somebody scrolls down to them.
        """
        answer: Any = super().changelist_view(request, extra_context)
        shown = getattr(answer, "context_data", None) or {}
        if "cl" in shown and shown["cl"].paginator.is_more:
            query = shown["cl"].get_query_string(remove=[PAGE_VAR])
            shown["totals_url"] = f"{reverse(self._totals_name())}{query}"
        elif "cl" in shown:
            shown["totals"] = self.totals(shown["cl"].queryset)
        return answer  # type: ignore[no-any-return]

    def get_urls(self) -> list[Any]:
        """Return the paths of the list, and of its totals alone."""
        view = self.admin_site.admin_view(self.totals_view)
        name = self._totals_name().partition(":")[2]
        return [path("totals/", view, name=name), *super().get_urls()]

    def _totals_name(self) -> str:
        opts = self.opts
        return f"admin:{opts.app_label}_{opts.model_name}_totals"

    def totals_view(self, request: HttpRequest) -> HttpResponse:
        """Return the totals of the filtered rows, for the page that shows the rows, or
        as a page without a script."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        whole = reverse(
            f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"
        )
        try:
            shown = self.get_changelist_instance(request)
        except IncorrectLookupParameters:
            return HttpResponseRedirect(whole)
        part = "register_totals" if request.headers.get("HX-Request") else "totals_page"
        context = {
            **self.admin_site.each_context(request),
            "title": shown.title,
            "opts": self.opts,
            "totals": self.totals(shown.queryset),
            "list_url": f"{whole}{shown.get_query_string()}",
        }
        response = TemplateResponse(request, f"documents/{part}.html", context)
        patch_vary_headers(response, ["HX-Request"])
        return response

    def totals(self, rows: QuerySet[Any]) -> Totals:
        """Return the totals of the filtered rows; every register implements it."""
        raise NotImplementedError(f"{type(self).__name__} has no totals.")

    def linked_text(self, name: str, value: str, params: dict[str, str]) -> str:
        """Return the code of the document to which a link has narrowed the list, an
        empty text for other parameters."""
        model = MODELS.get(params.get("document_type", ""))
        if name != "document_id" or model is None or not is_key(value):
            return ""
        rows = model._base_manager.filter(pk=int(value))
        code = rows.values_list("code", flat=True).first()
        return value if code is None else str(code)

    @admin.display(description=_("date"), ordering="date")
    def date_shown(self, row: Any) -> str:
        """Return the date in the reader's zone."""
        return day_or_moment(row.date)

    @admin.display(description=_("document"))
    def document(self, row: Any) -> str:
        """Return a link to the document that posted the row."""
        if not row.document_code:
            return f"{row.document_type} {row.document_id}"
        opts = MODELS[row.document_type]._meta
        page = f"admin:{opts.app_label}_{opts.model_name}_row"
        url = reverse(page, args=[row.document_id])
        return format_html('<a href="{}">{}</a>', url, row.document_code)
