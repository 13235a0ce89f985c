"""The form table for the lines of a document. It only parses: the service receives all
lines as one value, and each problem is shown at its line."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext as _, gettext_lazy

from documents.posting.movements import line_amount
from platform_site.records.admin.form import (
    Complaint,
    ReferenceSelect,
    WireForm,
    names_seen,
    stored_key,
)
from platform_site.records.admin.formatting import money
from platform_site.records.admin.properties import Properties
from platform_site.records.errors import Problem

MOST_LINES_TYPED = 250
"""A longer document shows its lines read-only: a browser would send too many fields."""


class LineForm(WireForm):
    """The form of one line."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Screen readers need a label; only the table's header shows one.
        for field in self.fields.values():
            # Django's wrapper with its links beside a field passes no attributes on.
            widget: Any = getattr(field.widget, "widget", field.widget)
            widget.attrs["aria-label"] = capfirst(str(field.label))

    @property
    def amount(self) -> str:
        """Return quantity times price of a stored line, formatted."""
        line: Any = self.instance
        return money(line.amount)


class LinesFormSet(forms.BaseInlineFormSet[Any, Any, Any]):
    """The forms of all lines of a document; none of them is bound to a stored row.

    Stored lines have no identity of their own, since each save replaces all of them.
    They only fill the forms when the page opens.
    """

    model: Any
    _non_form_errors: Any
    _should_delete_form: Any

    def __init__(
        self,
        *args: Any,
        properties: Properties,
        complaint: Complaint = Complaint(),  # noqa: B008 - frozen
        copied: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        self.properties = properties
        self.complaint = complaint
        super().__init__(*args, **kwargs)
        self._filled = self.instance.lines if copied is None else copied
        if not self.is_bound:
            self.extra = len(self._filled) or 1

    def initial_form_count(self) -> int:
        """Return 0, so that every form counts as a new line."""
        return 0

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Fill the forms with the stored or copied lines when the page opens."""
        kwargs: dict[str, Any] = super().get_form_kwargs(index)
        if not self.is_bound and index is not None and index < len(self._filled):
            line = self._filled[index]
            amount = line_amount(line["quantity"], line["price"])
            kwargs["instance"] = self.model(**line, amount=amount)
        return kwargs

    def clean(self) -> None:
        """Check nothing: the services validate the lines."""

    def full_clean(self) -> None:
        """Parse the forms, then attach the problems of the services to their lines."""
        super().full_clean()
        if not self.is_bound:
            return
        typed = self._typed()
        for problem in self.complaint.parts:
            self._show(problem, typed)
        if self.complaint.stale and self.differs():
            words = _("Stored value: %(value)s") % {"value": self._stored()}
            self._non_form_errors.append(words)

    def wire_lines(self) -> list[dict[str, Any]]:
        """Return the typed lines as wire values."""
        names = self.properties.items()
        return [form.typed_values(names) for form in self._typed()]

    def differs(self) -> bool:
        """Return whether the typed lines differ from those of the document."""
        names = [
            (self.model._meta.get_field(field).attname, field)
            for name, field in self.properties.items()
        ]
        typed = [form.typed_values(names) for form in self._typed()]
        return bool(typed != self.instance.lines)

    def _typed(self) -> list[Any]:
        """Return the forms that were filled in and not removed, in order."""
        return [
            form
            for form in self.forms
            if form.has_changed() and not self._should_delete_form(form)
        ]

    def _stored(self) -> str:
        """Return the stored lines as text."""
        names = self.properties.items()
        attributes = {
            name: self.model._meta.get_field(field).attname for name, field in names
        }
        lines = [
            {name: line[attribute] for name, attribute in attributes.items()}
            for line in self.instance.lines
        ]
        texts = self.properties.texts(
            {name: [value] for name, value in line.items()} for line in lines
        )
        return "; ".join(self.properties.row_text(line, texts) for line in lines)

    def _show(self, problem: Problem, typed: list[Any]) -> None:
        _before, bracket, rest = problem.path.partition("[")
        number, _end, name = rest.partition("]")
        if not bracket or not number.isdigit() or int(number) >= len(typed):
            self._non_form_errors.append(problem.message)
            return
        form = typed[int(number)]
        field = self.properties.form_field(name.removeprefix("."))
        form.add_error(field if field in form.fields else None, problem.message)


class LinesInline(admin.TabularInline[Any, Any]):
    """The table of lines; its rights are those of the document."""

    form = LineForm
    formset = LinesFormSet
    fields: ClassVar[Any] = ("item", "quantity", "price")
    template = "documents/lines_inline.html"
    max_num = MOST_LINES_TYPED
    verbose_name = gettext_lazy("line")
    verbose_name_plural = gettext_lazy("lines")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return no rows: `LinesFormSet` fills the forms from the document."""
        nothing: QuerySet[Any] = self.model._base_manager.none()
        return nothing

    def formfield_for_foreignkey(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Return a field that searches while the user types."""
        kwargs["widget"] = ReferenceSelect(db_field, self.admin_site)
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        stored = self.model._base_manager.filter(document_id=stored_key(request))
        known = stored.values_list(db_field.attname, flat=True)
        names_seen(field, request, self.admin_site, known)
        return field

    def formfield_for_dbfield(self, *args: Any, **kwargs: Any) -> Any:
        """Return the field without the links to add, change or view: the table is
        narrow."""
        field = super().formfield_for_dbfield(*args, **kwargs)
        for right in ("can_add_related", "can_change_related", "can_delete_related"):
            if field is not None and hasattr(field.widget, right):
                setattr(field.widget, right, False)
        if field is not None and hasattr(field.widget, "can_view_related"):
            field.widget.can_view_related = False
        return field

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True: the rights are checked for the document."""
        return True

    has_change_permission = has_add_permission
    has_delete_permission = has_add_permission
    has_view_permission = has_add_permission


def inline_for(model: Any) -> type[LinesInline]:
    """Return the inline for the lines of one kind of document."""
    line = model.line_model()
    return type(f"{line.__name__}Inline", (LinesInline,), {"model": line})
