"""The base of the pages of documents with lines, which are saved together with the
document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _

from documents.admin.base import DocumentAdmin
from documents.admin.entry import LinesEntryMixin
from documents.admin.line_texts import lines_of
from documents.admin.lines import MOST_LINES_TYPED, inline_for
from documents.posting.refusals import NotEnoughStock
from platform_site.records.admin import (
    ReferenceFilter,
)
from platform_site.records.admin.form import Complaint
from platform_site.records.errors import Refusal


class DocumentWithLinesAdmin(LinesEntryMixin, DocumentAdmin):
    """The list and form of documents with lines, which are saved with the document."""

    list_display: Any = (
        "code",
        "date_shown",
        "counterparty",
        "total_shown",
        "warehouse",
        "state_shown",
    )
    list_select_related = ("counterparty", "warehouse", "currency")
    list_filter = (*DocumentAdmin.list_filter, ("warehouse", ReferenceFilter))
    autocomplete_fields: ClassVar[Any] = ("counterparty", "warehouse", "currency")

    def write(
        self, request: HttpRequest, row: Any | None, values: dict[str, Any]
    ) -> Any:
        """Save the document; a shortage is shown at its line if the form has lines."""
        try:
            return super().write(request, row, values)
        except NotEnoughStock as refusal:
            if self._takes_lines(request, row):
                raise Refusal(refusal.at_lines()) from None
            raise

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        """Return the inline for lines if the user can edit them."""
        return [inline_for(self.model)] if self._takes_lines(request, obj) else []

    def row_fieldsets(self, request: HttpRequest, obj: Any) -> Iterable[Any]:
        """Return the fieldsets; lines that can't be edited here are shown as a
        table."""
        shown = [*super().row_fieldsets(request, obj)]
        if not self._takes_lines(request, obj):
            words: dict[str, Any] = {"fields": ("lines_shown",)}
            if len(obj.lines) > MOST_LINES_TYPED and self.has_change_permission(
                request, obj
            ):
                words["description"] = gettext(
                    "There are too many lines to edit in a browser; saving this "
                    "page leaves them unchanged. Change them with a package or "
                    "through the API."
                )
            shown.append((_("Lines"), words))
        return shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the read-only fields, including the table of lines."""
        return (*super().get_readonly_fields(request, obj), "lines_shown")

    @admin.display(description=_("lines"))
    def lines_shown(self, row: Any) -> SafeString:
        """Return the lines as an HTML table."""
        words = {"lines": self.lines_of(row), "total": self.total_shown(row)}
        return render_to_string("documents/lines.html", words)

    def lines_of(self, row: Any) -> list[dict[str, Any]]:
        """Return the lines as texts."""
        return lines_of(row, row.currency)

    def row_fields(self, request: HttpRequest, row: Any) -> Sequence[str]:
        """Return the properties of the document; its lines have a table of their
        own."""
        names = super().row_fields(request, row)
        return [name for name in names if name != "lines_shown"]

    def row_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return the table of lines for the page to read the document."""
        context = super().row_context(request, row)
        return {**context, "lines": self.lines_shown(row)}

    def _takes_lines(self, request: HttpRequest, obj: Any) -> bool:
        if obj is None:
            return True
        few = len(obj.lines) <= MOST_LINES_TYPED
        allowed = self.has_change_permission(request, obj)
        return few and allowed and not self._only_shown(request, obj)

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Any, inline: Any, prefix: str
    ) -> dict[str, Any]:
        """Return the formset arguments, with the problems of a refused save or copied
        lines."""
        return {
            **super().get_formset_kwargs(request, obj, inline, prefix),
            "properties": self.properties.part("lines"),
            "complaint": getattr(request, "complaint", Complaint()),
            "copied": self.copied_lines(request),
        }

    def save_model(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: `save_related` writes the document together with its lines."""

    def save_related(
        self,
        request: HttpRequest,
        form: Any,
        formsets: Any,
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Write the document with its lines through the services."""
        values = form.wire_values(self.properties.items())
        for lines in formsets:
            if not change or lines.differs():
                values["lines"] = lines.wire_lines()
        self.save_typed(request, form, values, change=change)

    def construct_change_message(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Return no message: the services record a change event instead of Django's
        log."""
        return []
