"""The list filters of business rows: live or deleted, changed since the import or by the
reader, and references chosen by a search field. Those for ranges are in
`filters_ranges`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from platform_site.changes.context import ChangeOrigin
from platform_site.changes.models import ChangeEvent
from platform_site.records.admin import filters_ranges  # noqa: F401 - its filters
from platform_site.records.admin.form import ReferenceSelect, is_key, names_seen

DELETED = "deleted"
# So many of the reader's own changes are looked through, the latest first.
_MOST_CHANGES: Final = 10_000


class DeletedFilter(admin.SimpleListFilter):
    """A filter for live rows, or for deleted ones."""

    title = _("state")
    parameter_name = DELETED

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return the choice of deleted rows."""
        return [("yes", _("Deleted"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the live or deleted rows."""
        return queryset.filter(is_deleted=self.value() == "yes")

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Return the choices; the default is live rows, not all."""
        first, *others = super().choices(changelist)
        yield {**first, "display": _("Not deleted"), "selected": self.value() != "yes"}
        yield from others


class ChangedFilter(admin.SimpleListFilter):
    """A filter for the rows that somebody changed since their import, or that the reader
    changed."""

    title = _("changes")
    parameter_name = "changed"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Return the two choices."""
        return [
            ("by_me", _("changed by me")),
            ("since_import", _("changed since the import")),
        ]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the rows that match the choice."""
        if self.value() == "since_import":
            # Never for rows without a mark: what is compared with nothing is unknown.
            return queryset.filter(modified__gt=F("import_imported_at"))
        if self.value() == "by_me":
            return queryset.filter(pk__one_of=_changed_by(request.user, queryset.model))
        return queryset


def _changed_by(user: Any, model: Any) -> list[int]:
    """Return the keys of the rows that a user changed on pages, of the latest changes."""
    by_hand = ChangeEvent.objects.filter(user=user, origin=ChangeOrigin.USER)
    latest = by_hand.order_by("-at", "-id").values_list("model", "row_id")
    name = model.catalog_name
    return sorted({key for kind, key in latest[:_MOST_CHANGES] if kind == name and key})


def name_seen(request: HttpRequest, site: Any, model: Any, key: str) -> str:
    """Return the name of a row, or its key for who may not see it."""
    row = model._base_manager.filter(pk=int(key)).first()
    pages = site.get_model_admin(model)
    if row is None or not pages.has_view_permission(request):
        return f"#{key}"
    return str(row)


class ReferenceFilter(admin.FieldListFilter):
    """A filter by one referenced row, chosen with a search field."""

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
        self._model: Any = self.field.related_model

    @property
    def parameter(self) -> str:
        """Return the query parameter, named like that of Django's own filter."""
        return f"{self.field_path}__id__exact"

    def expected_parameters(self) -> list[str | None]:
        """Return the query parameter."""
        return [self.parameter]

    @property
    def chosen(self) -> str:
        """Return the key of the selected row, empty without one."""
        values: Any = self.used_parameters.get(self.parameter, [])
        return str(values[-1]) if values else ""

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        """Return the rows that refer to the selected one."""
        if not self.chosen:
            return queryset
        if not is_key(self.chosen):
            raise IncorrectLookupParameters
        return queryset.filter(**{f"{self.field_path}_id": int(self.chosen)})

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Return the choice that clears the filter; others are searched."""
        query = changelist.get_query_string(remove=[self.parameter])
        yield {"selected": not self.chosen, "query_string": query, "display": _("All")}

    def chip_text(self, changelist: ChangeList) -> str:
        """Return the selected row, by its key for who may not see its name."""
        return name_seen(self._request, self._site, self._model, self.chosen)

    def widget(self) -> SafeString:
        """Return the search field."""
        select = ReferenceSelect(self.field, self._site)
        rows = self._model._base_manager.all()
        # The field passes the rows to its widget, which loads the selected one.
        field = forms.ModelChoiceField(rows, required=False, widget=select)
        names_seen(field, self._request, self._site)
        name = self.parameter
        attrs = {"id": f"filter-{name}", "aria-label": capfirst(self.title)}
        shown: SafeString = field.widget.render(name, self.chosen, attrs)
        return shown


class ReferenceFiltersMixin(admin.ModelAdmin[Any]):
    """The scripts that a list with search fields in its filters needs."""

    @property
    def media(self) -> forms.Media:
        """Return the scripts and styles of the search fields."""
        own = forms.Media(css={"all": ("records/filters.css",)})
        return super().media + ReferenceSelect(None, self.admin_site).media + own
