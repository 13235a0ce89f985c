"""The pages to read one row: *Details*, *Related*, *History* and *Source*, with one head
over all of them. The form to edit it is a page of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import flatten_fieldsets, unquote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from platform_site.changes.history import HistoryMixin
from platform_site.records import services
from platform_site.records.admin.actions import ActionsMixin
from platform_site.records.admin.form import is_key
from platform_site.records.admin.information import information_of
from platform_site.records.admin.row_details import details_of, references
from platform_site.records.admin.row_parts import (
    Figure,
    Pill,
    RelatedRows,
    RowAction,
    row_parts_of,
)
from platform_site.records.admin.row_related import (
    Count,
    count_changes,
    count_related,
    related_rows,
)
from platform_site.records.admin.row_source import source_of
from platform_site.records.errors import NotAllowed, Refusal, Stale


@dataclass(frozen=True, slots=True)
class Tab:
    """One of the pages of a row, with the number of what is on it."""

    name: str
    label: str
    url: str
    count: Count | None = None


class RowPagesMixin(ActionsMixin, HistoryMixin):
    """The pages to read one row, and the hooks that fill them.

    Apps override ``row_pills``, ``row_figures``, ``row_related``, ``row_actions``,
    ``row_fields`` and ``row_context``, and set ``row_template`` to a template that
    extends this one.
    """

    row_template = "records/row.html"
    # The columns of these rows where they are related to another row.
    related_display: tuple[str, ...] = ("code", "name")

    # -- hooks -----------------------------------------------------------------------

    def row_pills(self, request: HttpRequest, row: Any) -> list[Pill]:
        """Return the states of a row."""
        return []

    def row_figures(self, request: HttpRequest, row: Any) -> list[Figure]:
        """Return the numbers that people open a row for."""
        return []

    def row_related(self, request: HttpRequest, row: Any) -> list[RelatedRows]:
        """Return the rows that refer to a row, and those that it refers to."""
        return related_rows(self, request, row)

    def row_actions(self, request: HttpRequest, row: Any) -> list[RowAction]:
        """Return the buttons of a row, apart from those to edit and to delete it."""
        if not row.is_deleted or not self.has_restore_permission(request):
            return []
        url = self.row_url(row, "restore")
        return [RowAction(gettext("Restore"), url, "undo-2", {}, is_primary=True)]

    def row_fields(self, request: HttpRequest, row: Any) -> Sequence[str]:
        """Return the properties on the page of the details, in their order."""
        names: list[str] = flatten_fieldsets(list(self.row_fieldsets(request, row)))
        return names

    def row_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return what the blocks of an app's own template need."""
        return {}

    def row_fieldsets(self, request: HttpRequest, obj: Any) -> Iterable[Any]:
        """Return the fieldsets with the row's own fields."""
        return super().get_fieldsets(request, obj)

    def has_restore_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may restore deleted rows."""
        return super().has_change_permission(request)

    # -- addresses -------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        """Add the pages; an address that is no key still leads to Django's."""
        return [
            self._row_path("", require_safe(self.row_view), "row"),
            self._row_path("related/", require_safe(self.related_view), "related"),
            self._row_path("source/", require_safe(self.source_view), "source"),
            self._row_path("restore/", require_POST(self.restore_view), "restore"),
            *super().get_urls(),
        ]

    def _row_path(self, route: str, view: Callable[..., Any], name: str) -> URLPattern:
        return path(
            f"<int:object_id>/{route}",
            self.admin_site.admin_view(view),
            name=f"{self.opts.app_label}_{self.opts.model_name}_{name}",
        )

    def row_url(self, row: Any, page: str = "row") -> str:
        """Return the URL of one of the pages of a row."""
        opts = self.opts
        name = f"{self.admin_site.name}:{opts.app_label}_{opts.model_name}_{page}"
        return reverse(name, args=[row.pk])

    # -- pages -----------------------------------------------------------------------

    def row_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Show the details of a row."""
        return self._page(request, str(object_id), "row", self._details)

    def related_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Show the rows that refer to a row, and those that it refers to."""
        return self._page(request, str(object_id), "related", self._related)

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the changes of a row, newest first."""
        found = unquote(object_id)
        return self._page(request, found, "history", self.history_context)

    def source_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Show where a row comes from."""
        return self._page(request, str(object_id), "source", self._source)

    def restore_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Restore a deleted row."""
        row = self.readable_row(request, str(object_id))
        if row is None:
            return self._missing(request, str(object_id))
        if not self.has_restore_permission(request):
            raise PermissionDenied
        try:
            services.restore_record(row=row, actor=request.user)
        except NotAllowed as error:
            raise PermissionDenied(str(error)) from None
        except (Refusal, Stale) as error:
            self.message_user(request, self.sentence(row, error), messages.ERROR)
        else:
            said = gettext("%(row)s is restored.") % {"row": row}
            self.message_user(request, said, messages.SUCCESS)
        return HttpResponseRedirect(self.row_url(row))

    def readable_row(self, request: HttpRequest, object_id: str) -> Any | None:
        """Return a row with its references, None if there is none; raise
        PermissionDenied for people who may not see it."""
        # Judged before the row, whose absence isn't public either.
        if not self.has_view_permission(request):
            raise PermissionDenied
        if not is_key(object_id):
            return None
        names = [field.name for field in self.opts.fields if field.is_relation]
        own = references(self.model, names)
        return (
            self.get_queryset(request).select_related(*own).filter(pk=object_id).first()
        )

    def _page(
        self,
        request: HttpRequest,
        object_id: str,
        tab: str,
        fill: Callable[[HttpRequest, Any], dict[str, Any]],
    ) -> HttpResponse:
        row = self.readable_row(request, object_id)
        if row is None:
            return self._missing(request, object_id)
        context = {**self._head(request, row, tab), **fill(request, row)}
        template = self.row_template if tab == "row" else f"records/row_{tab}.html"
        return TemplateResponse(request, template, context)

    def _missing(self, request: HttpRequest, object_id: str) -> HttpResponse:
        missing: Any = self
        answer: HttpResponse = missing._get_obj_does_not_exist_redirect(
            request, self.opts, object_id
        )
        return answer

    # -- what is on them -------------------------------------------------------------

    def _head(self, request: HttpRequest, row: Any, tab: str) -> dict[str, Any]:
        """Return what all pages of a row show."""
        parts = row_parts_of(self.model)
        pills = [*self.row_pills(request, row)]
        pills += [pill for part in parts for pill in part.pills(request, row)]
        if row.is_deleted:
            pills.insert(0, Pill(gettext("deleted"), "bad"))
        actions = [*self.row_actions(request, row)]
        may_edit = self.has_change_permission(request, row)
        return {
            **self.admin_site.each_context(request),
            "title": str(row),
            "opts": self.opts,
            "module_name": str(capfirst(self.opts.verbose_name_plural)),
            "media": self.media,
            "preserved_filters": self.get_preserved_filters(request),
            "row_template": self.row_template,
            "row": row,
            "pills": pills,
            "edit_url": self.row_url(row, "change") if may_edit else "",
            "edit_first": not any(each.is_primary for each in actions),
            "delete_url": self.row_url(row, "delete")
            if self.has_delete_permission(request, row)
            else "",
            "actions": actions,
            "tab": tab,
            "tabs": self._tabs(request, row),
            **self.row_context(request, row),
        }

    def _tabs(self, request: HttpRequest, row: Any) -> list[Tab]:
        return [
            Tab("row", gettext("Details"), self.row_url(row)),
            Tab(
                "related",
                gettext("Related"),
                self.row_url(row, "related"),
                count_related(self, request, row),
            ),
            Tab(
                "history",
                gettext("History"),
                self.row_url(row, "history"),
                count_changes(row),
            ),
            Tab("source", gettext("Source"), self.row_url(row, "source")),
        ]

    def _details(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        figures = [*self.row_figures(request, row)]
        for part in row_parts_of(self.model):
            figures += part.figures(request, row)
        names = self.row_fields(request, row)
        return {
            "figures": figures,
            "details": details_of(self, row, names, request.user),
            "information": information_of(self, row, request.user),
        }

    def _related(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        parts = row_parts_of(self.model)
        first = [each for part in parts for each in part.related(request, row)]
        return {"related": [*first, *self.row_related(request, row)]}

    def _source(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        return {"source": source_of(row, request.user)}

    # -- after a form ----------------------------------------------------------------

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> Any:
        """Return to the page of the new row."""
        return self._to_row(request, obj) or super().response_post_save_add(
            request, obj
        )

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> Any:
        """Return to the page of the row."""
        return self._to_row(request, obj) or super().response_post_save_change(
            request, obj
        )

    def _to_row(self, request: HttpRequest, row: Any) -> HttpResponse | None:
        """Return a redirect to a row's page, None for people who may not see it."""
        if not self.has_view_permission(request, row):
            return None
        return HttpResponseRedirect(self.row_url(row))
