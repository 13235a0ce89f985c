"""Narrows the lists of business rows: deleted rows stay out unless asked for, and what
rows refer to is looked up by typing, for there may be very many of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from platform_site.records.admin.form import ReferenceSelect, is_key, names_seen

DELETED = "deleted"


class DeletedFilter(admin.SimpleListFilter):
    """A filter for live rows, or for deleted ones."""

    title = _("state")
    parameter_name = DELETED

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the deleted rows beside the live ones."""
        return [("yes", _("Deleted"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the rows of the chosen state."""
        return queryset.filter(is_deleted=self.value() == "yes")

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Call the state without a choice by its name, for it is not all rows."""
        first, *others = super().choices(changelist)
        yield {**first, "display": _("Not deleted"), "selected": self.value() != "yes"}
        yield from others


class ReferenceFilter(admin.FieldListFilter):
    """A filter for the rows that refer to one row, which is looked up by typing."""

    template = "records/reference_filter.html"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        request, model_admin = args[1], args[4]
        self._site, self._request = model_admin.admin_site, request
        self.kept = [
            (name, value)
            for name, values in request.GET.lists()
            for value in values
            if name not in (self.parameter, "p", "e")
        ]

    @property
    def parameter(self) -> str:
        """Return the parameter of the address, called as Django's own filter has it."""
        return f"{self.field_path}__id__exact"

    def expected_parameters(self) -> list[str | None]:
        """Return the one parameter of the address."""
        return [self.parameter]

    @property
    def chosen(self) -> str:
        """Return the key of the chosen row, empty without one."""
        values: Any = self.used_parameters.get(self.parameter, [])
        return str(values[-1]) if values else ""

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the rows that refer to the chosen one."""
        if not self.chosen:
            return queryset
        if not is_key(self.chosen):
            raise IncorrectLookupParameters
        return queryset.filter(**{f"{self.field_path}_id": int(self.chosen)})

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Offer to leave the filter; the rest is typed."""
        query = changelist.get_query_string(remove=[self.parameter])
        yield {"selected": not self.chosen, "query_string": query, "display": _("All")}

    def widget(self) -> SafeString:
        """Return the field to type into."""
        select = ReferenceSelect(self.field, self._site)
        model: Any = self.field.related_model
        rows = model._base_manager.all()
        # The field binds the rows to its widget, which looks the chosen one up.
        field = forms.ModelChoiceField(rows, required=False, widget=select)
        names_seen(field, self._request, self._site)
        name = self.parameter
        attrs = {"id": f"filter-{name}", "aria-label": capfirst(self.title)}
        shown: SafeString = field.widget.render(name, self.chosen, attrs)
        return shown


class ReferenceFiltersMixin(admin.ModelAdmin[Any]):
    """What a list needs for filters in which one types."""

    @property
    def media(self) -> forms.Media:
        """Return the scripts and styles of looking up."""
        own = forms.Media(css={"all": ("records/filters.css",)})
        return super().media + ReferenceSelect(None, self.admin_site).media + own
