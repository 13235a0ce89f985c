"""The base of all document pages: the list, the page to read a document, and the form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy as _

from documents import services
from documents.admin.buttons import page_of
from documents.admin.copies import CopiesMixin
from documents.admin.dated import DatedMixin
from documents.admin.flow import flow_of
from documents.admin.in_search import InSearchMixin
from documents.admin.list_sums import sums_of
from documents.admin.printing import PrintMixin
from documents.admin.states import StateColumnMixin, posted_pill
from documents.amounts import amount_in
from documents.posting.rights import may_settle
from platform_site.changes.labels import in_words
from platform_site.records.admin import (
    DeletedFilter,
    ReferenceFilter,
    ReferenceFiltersMixin,
    ReferenceSearchMixin,
)
from platform_site.records.admin.formatting import (
    day_or_moment,
    has_local_time,
)
from platform_site.records.admin.row_parts import Figure, Pill, RowAction

_FIRST = ("counterparty",)
_LAST = ("code", "comment")


class DocumentAdmin(
    StateColumnMixin,
    InSearchMixin,
    DatedMixin,
    ReferenceSearchMixin,
    ReferenceFiltersMixin,
    CopiesMixin,
    PrintMixin,
):
    """The list and form of documents, with posting."""

    list_display: Any = (
        "code",
        "date_shown",
        "counterparty",
        "total_shown",
        "state_shown",
    )
    list_display_links: Any = ("code",)
    list_filter: ClassVar[Any] = (
        DeletedFilter,
        "is_active",
        "date",
        "total",
        ("counterparty", ReferenceFilter),
    )
    list_select_related: ClassVar[Any] = ("counterparty",)
    search_fields: ClassVar[Any] = ("code",)
    searched_references = ("counterparty",)
    autocomplete_fields: ClassVar[Any] = ("counterparty",)
    change_form_template = "documents/change_form.html"
    row_template = "documents/row.html"
    related_display = (
        "code",
        "date_shown",
        "counterparty",
        "total_shown",
        "state_shown",
    )

    # Their code is what people say.
    named_by: ClassVar[tuple[str, ...]] = ("code",)
    number_columns: ClassVar[tuple[str, ...]] = ("amount_shown",)
    # The reference to the currency of the total.
    currency_path: ClassVar[str] = "currency"

    class Media:
        css: ClassVar[Any] = {"all": ("documents/documents.css",)}

    def list_sums(self, changelist: Any) -> str:
        """Return the number of documents in a list and the sum of their totals."""
        return sums_of(changelist, self.currency_path)

    # -- display -------------------------------------------------------------------

    @admin.display(description=_("date"), ordering="date")
    def date_shown(self, row: Any) -> str:
        """Return the document's date in the reader's zone; most are days, which begin at
        midnight."""
        return day_or_moment(row.date)

    @admin.display(description=_("total"), ordering="total")
    def total_shown(self, row: Any) -> str:
        """Return the total with its currency."""
        return amount_in(row.total, self.currency_of(row))

    @admin.display(description=_("posted"), ordering="is_active")
    def posted(self, row: Any) -> str:
        """Return yes or no as text: Django's icon would show an unposted document as a
        fault."""
        return in_words(row.is_active)

    def currency_of(self, row: Any) -> Any:
        """Return the currency of the document's total."""
        return row.currency

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the form's fields: who it is about first, and last what is mostly left
        empty; a date that no form field can show is replaced by text."""
        given = super().get_fields(request, obj)
        edges = [*_FIRST, *_LAST]
        between = [name for name in given if name.removesuffix("_shown") not in edges]
        known = {name.removesuffix("_shown"): name for name in given}
        first, last = (
            [known[n] for n in names if n in known] for names in (_FIRST, _LAST)
        )
        fields = [*first, *between, *last]
        shown = self._only_shown(request, obj)
        if obj is not None and not has_local_time(obj.date):
            shown.add("date")
        pairs = [(name, f"{name}_shown") for name in fields]
        return [new if n in shown and hasattr(self, new) else n for n, new in pairs]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the read-only fields, including those computed from others."""
        known = super().get_readonly_fields(request, obj)
        shown = sorted(self._only_shown(request, obj))
        also = (f"{name}_shown" for name in shown if hasattr(self, f"{name}_shown"))
        return (*known, "date_shown", "total_shown", "posted", *shown, *also)

    def _only_shown(self, request: HttpRequest, obj: Any) -> set[str]:
        """Return the fields of a posted document that this user may not change."""
        if obj is None or not obj.is_active or may_settle(obj, request.user):
            return set()
        fields = self.opts.concrete_fields
        return {f.name for f in fields if self.model.moved_by([f.attname])}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether the user may delete; a posted document also needs the right to
        unpost."""
        posted = obj is not None and obj.is_active
        allowed = not posted or self.has_unpost_permission(request)
        return super().has_delete_permission(request, obj) and allowed

    def row_fieldsets(self, request: HttpRequest, obj: Any) -> Iterable[Any]:
        """Return the fieldsets: the editable fields, then the computed ones."""
        fields = [*self.get_fields(request, obj), "total_shown", "posted"]
        words: dict[str, Any] = {"fields": fields}
        if self._only_shown(request, obj):
            words["description"] = gettext(
                "The document is posted. To change what it has posted, you need the "
                "rights to unpost and to post such documents."
            )
        return [(None, words)]

    # -- the page to read it ---------------------------------------------------------

    def row_pills(self, request: HttpRequest, row: Any) -> list[Pill]:
        """Return the states that the list shows, and whether the document is posted."""
        posted, pills = posted_pill(row), [*self.state_pills(row)]
        return pills if posted in pills else [posted, *pills]

    def row_figures(self, request: HttpRequest, row: Any) -> list[Figure]:
        """Return the total."""
        total = amount_in(row.total, self.currency_of(row))
        return [Figure(gettext("Total"), total)]

    def row_actions(self, request: HttpRequest, row: Any) -> list[RowAction]:
        """Return the buttons that post, copy and print the document, and the links to
        its register rows."""
        found = super().row_actions(request, row)
        if row.is_deleted:
            return found
        for each in self.buttons(request, row):
            values = {"version": each["version"]}
            label, url = each["label"], each["url"]
            first = not row.is_active
            found.append(RowAction(label, url, each["icon"], values, is_primary=first))
        found += self.copy_action(request, row)
        print_url = page_of(row, "print", row.pk)
        found.append(RowAction(gettext("Print"), print_url, "printer"))
        links = self.links(request, row)
        return [*found, *(RowAction(each["label"], each["url"]) for each in links)]

    def row_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return the strip of the documents that belong together."""
        return {"flow": flow_of(row, request)}

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Render the form, with the strip of the documents that belong together."""
        row = kwargs.get("obj")
        if row is not None:
            context["flow"] = flow_of(row, request)
        return super().render_change_form(request, context, *args, **kwargs)

    # -- the form --------------------------------------------------------------------

    def formfield_for_dbfield(self, db_field: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the form field; text areas are kept low so that the lines stay in
        view."""
        field = super().formfield_for_dbfield(db_field, *args, **kwargs)
        if isinstance(db_field, models.TextField) and field is not None:
            field.widget.attrs["rows"] = 2
        widget: Any = getattr(field, "widget", None)
        if hasattr(widget, "can_add_related"):
            # A clerk meets new customers; the other rows are there before.
            widget.can_change_related = widget.can_view_related = False
            widget.can_add_related &= db_field.name == "counterparty"
        return field

    # -- saving --------------------------------------------------------------------

    def write(
        self, request: HttpRequest, row: Any | None, values: dict[str, Any]
    ) -> Any:
        """Save the document, and post it in the same transaction if that was
        requested."""
        if "_post" not in request.POST:
            return super().write(request, row, values)
        return services.save_and_post(
            model=self.model, row=row, data=values, actor=request.user
        )
