"""The list of rows as a page shows it: only its own filters and orders, and what stands
above and below the rows."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ORDER_VAR, SEARCH_VAR, ChangeList
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode
from django.utils.text import capfirst

from platform_site.records.admin import columns, filters_chips
from platform_site.site.overview.list_views import VIEW, ViewMenu


class OwnFiltersList(ChangeList):
    """A list that accepts only its own filters, and orders by its sortable columns."""

    # Its pages, of the class that `lists` adds to all of them.
    model_admin: Any

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        self.request = request
        super().__init__(request, *args, **kwargs)
        if not self.is_popup:
            self.title = str(capfirst(self.opts.verbose_name_plural))

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Return the rows; an order may name its columns instead of counting them."""
        if ORDER_VAR in self.params:
            order = columns.counted_order(self.params[ORDER_VAR], self.list_display)
            self.params[ORDER_VAR] = order
            self.filter_params[ORDER_VAR] = [order]
        return super().get_queryset(request, *args, **kwargs)

    def get_filters_params(self, params: Any = None) -> Any:
        """Return the parameters that filter."""
        found = super().get_filters_params(params)
        return {
            name: value
            for name, value in found.items()
            if name not in (columns.COLUMNS, VIEW)
        }

    def get_filters(self, request: HttpRequest) -> Any:
        """Return the filters; raise IncorrectLookupParameters for unknown
        parameters."""
        found: Any = super().get_filters(request)
        # The filters have removed theirs; those of links and date navigation remain.
        left = set(found[2]) - set(getattr(self.model_admin, "linked_by", ()))
        dated = self.date_hierarchy
        if dated and f"{dated}__year" in self.filter_params:
            left -= {f"{dated}__gte", f"{dated}__lt"}
        if left:
            raise IncorrectLookupParameters
        return found

    def get_query_string(self, new_params: Any = None, remove: Any = None) -> str:
        """Return the query string without some parameters. Django would also remove all
        those whose names begin like one of them."""
        out = [str(name) for name in remove or ()]
        groups = tuple(name for name in out if name.endswith("__"))
        kept: dict[str, Any] = {
            name: value
            for name, value in self.filter_params.items()
            if name not in out and not name.startswith(groups or ("\0",))
        }
        kept.update(new_params or {})
        left = [(name, value) for name, value in kept.items() if value is not None]
        return f"?{urlencode(sorted(left), doseq=True)}"

    def get_ordering_field(self, field_name: Any) -> Any:
        """Return the field that orders a column, None for a column that isn't
        sortable: Django only leaves out its link."""
        if self.sortable_by is not None and field_name not in self.sortable_by:
            return None
        return super().get_ordering_field(field_name)

    def _get_deterministic_ordering(self, ordering: Any) -> Any:
        """Return the ordering, in which the key follows the column before it.

        Django's is always descending, so that no index has both.
        """
        *fields, key = super()._get_deterministic_ordering(ordering)  # type: ignore[misc]
        if key == "-pk" and fields and not str(fields[-1]).startswith("-"):
            key = "pk"
        return [*fields, key]

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page; whatever is asked of a few rows needs no second search."""
        pages: Any = self.model_admin.get_paginator(
            request, self.queryset, self.list_per_page
        )
        self.queryset = pages.narrowed(self.queryset)
        super().get_results(request)

    def url_for_result(self, result: Any) -> str:
        """Return the page on which a row is read, or edited if there is no other."""
        if not self.is_popup:
            name = f"admin:{self.opts.app_label}_{self.opts.model_name}_row"
            try:
                return reverse(name, args=[getattr(result, self.pk_attname)])
            except NoReverseMatch:
                pass
        return super().url_for_result(result)

    # -- what the page shows above and below the rows ------------------------------

    @cached_property
    def chips(self) -> list[filters_chips.FilterChip]:
        """Return the active filters."""
        return filters_chips.chips_of(self)

    @cached_property
    def filter_menu(self) -> list[Any]:
        """Return the filters that can be added."""
        return filters_chips.menu_of(self)

    @cached_property
    def is_narrowed(self) -> bool:
        """Return whether a filter or a search leaves out rows."""
        return filters_chips.is_narrowed(self)

    @cached_property
    def cleared(self) -> str:
        """Return the query string of the whole list."""
        query = filters_chips.cleared(self)
        whole = query == "?" and self.views.default is not None
        return f"?{VIEW}=all" if whole else query

    @cached_property
    def kept_params(self) -> list[tuple[str, str]]:
        """Return the parameters that a search keeps."""
        given = self.filter_params.items()
        return [(n, v) for n, values in given for v in values if n != SEARCH_VAR]

    @cached_property
    def columns(self) -> list[columns.ListColumn]:
        """Return the columns that the list offers."""
        return columns.menu_of_columns(self, self.model_admin.usual_columns)

    @cached_property
    def views(self) -> ViewMenu:
        """Return the saved views of the reader."""
        menu: ViewMenu = self.model_admin.view_menu(self)
        return menu

    @cached_property
    def sums(self) -> Any:
        """Return the sums of all rows, None for a list without any."""
        summed = getattr(self.model_admin, "list_sums", None)
        return None if summed is None or self.is_popup else summed(self)

    @cached_property
    def named_order(self) -> str:
        """Return the order by the names of its columns, which other columns keep."""
        return columns.named_order(self.params.get(ORDER_VAR, ""), self.list_display)
