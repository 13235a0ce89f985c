"""What the list of business rows has beside that of other rows: more columns, a filter of
changed rows, and how cells of other lists name its rows."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html

from platform_site.records.admin.filters import ChangedFilter
from platform_site.records.admin.properties import Properties


class ListColumnsMixin(admin.ModelAdmin[Any]):
    """The list of business rows."""

    # What the rows are for, in a list without any.
    purpose: Any = ""
    # The columns by which cells of other lists name a row.
    named_by: ClassVar[tuple[str, ...]] = ("name",)

    @property
    def properties(self) -> Properties:
        """Return the wire properties of the model; the pages of rows have them."""
        raise NotImplementedError(f"{type(self).__name__} has no properties.")

    def get_list_filter(self, request: HttpRequest) -> Any:
        """Return the filters, and that of changed rows, which all lists have."""
        return (*super().get_list_filter(request), ChangedFilter)

    def more_columns(self) -> list[Any]:
        """Return the columns of the properties that the list can show, too."""
        return self.properties.columns()

    def short_name(self, row: Any) -> str:
        """Return how cells of other lists name a row: a code once, the name beside
        it."""
        code, *rest = (str(getattr(row, name)) for name in self.named_by)
        if not rest:
            return code
        return format_html('<span class="nowrap">{}</span> {}', code, " ".join(rest))
