"""What the pages of all documents have in common: they are saved with their lines as
one value, posted and taken back, and lead to what can be created from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalogs.models import Item
from documents import services
from documents.admin.copies import CopiesMixin
from documents.admin.dated import DatedMixin
from documents.admin.lines import MOST_LINES_TYPED, inline_for
from documents.posting.movements import line_amount
from documents.posting.rights import may_settle
from platform_site.changes.labels import in_words
from platform_site.records.admin import (
    DeletedFilter,
    ReferenceFilter,
    ReferenceFiltersMixin,
)
from platform_site.records.admin.form import Complaint
from platform_site.records.admin.formatting import (
    has_local_time,
    moment,
    money,
    quantity,
)


class DocumentAdmin(DatedMixin, ReferenceFiltersMixin, CopiesMixin):
    """The list and the form of documents, with posting."""

    list_display: Any = ("code", "date_shown", "total_shown", "posted", "counterparty")
    list_display_links: Any = ("code",)
    list_filter: ClassVar[Any] = (
        DeletedFilter,
        "is_active",
        "date",
        ("counterparty", ReferenceFilter),
    )
    list_select_related: ClassVar[Any] = ("counterparty",)
    search_fields: ClassVar[Any] = ("code", "counterparty__code", "counterparty__name")
    autocomplete_fields: ClassVar[Any] = ("counterparty",)
    change_form_template = "documents/change_form.html"

    class Media:
        css: ClassVar[Any] = {"all": ("documents/documents.css",)}

    # -- what is shown -------------------------------------------------------------

    @admin.display(description=_("date"), ordering="date")
    def date_shown(self, row: Any) -> str:
        """Return the document's date in the reader's zone."""
        return moment(row.date)

    @admin.display(description=_("total"), ordering="total")
    def total_shown(self, row: Any) -> str:
        """Return the total with its currency."""
        return f"{money(row.total)} {self.currency_of(row)}"

    @admin.display(description=_("posted"), ordering="is_active")
    def posted(self, row: Any) -> str:
        """Say yes or no in words: a document not posted yet is nothing wrong."""
        return in_words(row.is_active)

    def currency_of(self, row: Any) -> str:
        """Return the code of the currency the document's total is in."""
        return str(row.currency.code)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what is typed; a date that no form can show is only shown."""
        fields = [f for f in super().get_fields(request, obj) if f != "comment"]
        fields.append("comment")
        shown = self._only_shown(request, obj)
        if obj is not None and not has_local_time(obj.date):
            shown.add("date")
        pairs = [(name, f"{name}_shown") for name in fields]
        return [new if n in shown and hasattr(self, new) else n for n, new in pairs]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Show beside what is typed what follows from it."""
        known = super().get_readonly_fields(request, obj)
        shown = sorted(self._only_shown(request, obj))
        also = (f"{name}_shown" for name in shown if hasattr(self, f"{name}_shown"))
        return (*known, "date_shown", "total_shown", "posted", *shown, *also)

    def _only_shown(self, request: HttpRequest, obj: Any) -> set[str]:
        """Return the fields that postings follow from, if a person may not change them."""
        if obj is None or not obj.is_active or may_settle(obj, request.user):
            return set()
        fields = self.opts.concrete_fields
        return {f.name for f in fields if self.model.moved_by([f.attname])}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Offer to delete a posted document to those who may take it back."""
        posted = obj is not None and obj.is_active
        allowed = not posted or self.has_unpost_permission(request)
        return super().has_delete_permission(request, obj) and allowed

    def row_fieldsets(self, request: HttpRequest, obj: Any) -> Iterable[Any]:
        """Return the typed fields and what follows from them."""
        fields = [*self.get_fields(request, obj), "total_shown", "posted"]
        words: dict[str, Any] = {"fields": fields}
        if self._only_shown(request, obj):
            words["description"] = gettext(
                "The document is posted. To change what it has posted, you need the "
                "rights to unpost and to post such documents."
            )
        return [(None, words)]

    def formfield_for_dbfield(self, db_field: Any, *args: Any, **kwargs: Any) -> Any:
        """Take texts in few rows: the lines shall be seen as well."""
        field = super().formfield_for_dbfield(db_field, *args, **kwargs)
        if isinstance(db_field, models.TextField) and field is not None:
            field.widget.attrs["rows"] = 2
        return field

    # -- what is saved -------------------------------------------------------------

    def write(
        self, request: HttpRequest, row: Any | None, values: dict[str, Any]
    ) -> Any:
        """Save, and post in the same unit of work where that was asked for."""
        if "_post" not in request.POST:
            return super().write(request, row, values)
        return services.save_and_post(
            model=self.model, row=row, data=values, actor=request.user
        )


class DocumentWithLinesAdmin(DocumentAdmin):
    """The form of a document whose lines are saved with it, as one value."""

    list_display = (
        "code",
        "date_shown",
        "total_shown",
        "posted",
        "counterparty",
        "warehouse",
    )
    list_select_related = ("counterparty", "warehouse", "currency")
    list_filter = (*DocumentAdmin.list_filter, ("warehouse", ReferenceFilter))
    autocomplete_fields: ClassVar[Any] = ("counterparty", "warehouse", "currency")

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        """Return the table of lines, if they can be typed."""
        return [inline_for(self.model)] if self._takes_lines(request, obj) else []

    def row_fieldsets(self, request: HttpRequest, obj: Any) -> Iterable[Any]:
        """Show the lines where they cannot be typed."""
        shown = [*super().row_fieldsets(request, obj)]
        if not self._takes_lines(request, obj):
            words: dict[str, Any] = {"fields": ("lines_shown",)}
            if len(obj.lines) > MOST_LINES_TYPED and self.has_change_permission(
                request, obj
            ):
                words["description"] = gettext(
                    "There are too many lines to edit in a browser; saving this page "
                    "leaves them unchanged. Change them with a package or over the "
                    "API."
                )
            shown.append((_("Lines"), words))
        return shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Know the table of lines that is only shown."""
        return (*super().get_readonly_fields(request, obj), "lines_shown")

    @admin.display(description=_("lines"))
    def lines_shown(self, row: Any) -> SafeString:
        """Return the lines as a table."""
        items = Item._base_manager.in_bulk({line["item_id"] for line in row.lines})
        lines = [
            {
                "item": items.get(line["item_id"]),
                "quantity": quantity(line["quantity"]),
                "price": money(line["price"]),
                "amount": money(line_amount(line["quantity"], line["price"])),
            }
            for line in row.lines
        ]
        return render_to_string("documents/lines.html", {"lines": lines})

    def _takes_lines(self, request: HttpRequest, obj: Any) -> bool:
        if obj is None:
            return True
        few = len(obj.lines) <= MOST_LINES_TYPED
        allowed = self.has_change_permission(request, obj)
        return few and allowed and not self._only_shown(request, obj)

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Any, inline: Any, prefix: str
    ) -> dict[str, Any]:
        """Give the table of lines what the services said, or what is copied."""
        return {
            **super().get_formset_kwargs(request, obj, inline, prefix),
            "properties": self.properties.part("lines"),
            "complaint": getattr(request, "complaint", Complaint()),
            "copied": self.copied_lines(request),
        }

    def save_model(
        self,
        request: HttpRequest,
        obj: Any,
        form: Any,
        change: bool,  # noqa: FBT001 - Django's signature
    ) -> None:
        """Wait for the lines: they are saved with the document, not after it."""

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
        """Say nothing: the services have recorded the change."""
        return []
