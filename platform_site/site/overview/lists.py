"""The restriction of list URLs to their own filters, links and orders. Django accepts
every lookup on every column, also on hidden ones, and expensive regular
expressions."""

from __future__ import annotations

import functools
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import SEARCH_VAR, ChangeList
from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from platform_site.database.paging import MOST_FOUND, BigTablePaginator

# A search looks for each of its words in each column.
_MOST_WORDS = 50
_LARGEST_KEY = 2**63 - 1
# The parameter of fields that search while typing.
_TYPED = "term"


class OwnFiltersList(ChangeList):
    """A list that accepts only its own filters, and orders by its sortable columns."""

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


class OwnFiltersMixin(admin.ModelAdmin[Any]):
    """A list that redirects URLs with other filters to the whole list.

    The site adds it to every registered class. A class may name in ``linked_by`` the
    columns with which links of other pages filter its list, and in ``sorted_within`` the
    parameters that leave few enough rows to sort them by any column.
    """

    paginator = BigTablePaginator
    # Counting all rows without the filters takes longer than showing the page.
    show_full_result_count = False

    def get_paginator(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Return the paginator, which counts fewer rows if they are searched."""
        pages: Any = super().get_paginator(request, *args, **kwargs)
        if request.GET.get(SEARCH_VAR) or request.GET.get(_TYPED):
            pages.most = MOST_FOUND
        return pages

    def get_sortable_by(self, request: HttpRequest) -> Any:
        """Return the sortable columns: all of them if the list is narrowed to the few
        rows of one other row."""
        within = getattr(self, "sorted_within", ())
        if not request.GET.keys().isdisjoint(within):
            return self.get_list_display(request)
        return super().get_sortable_by(request)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list class with only its own filters."""
        shown: Any = super().get_changelist(request, **kwargs)
        return _strict(shown)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list; redirect for unknown or invalid filters."""
        values = [value for _name, given in request.GET.lists() for value in given]
        try:
            if any("\0" in value for value in values):
                raise IncorrectLookupParameters
            return super().get_changelist_instance(request)
        except (IncorrectLookupParameters, DataError, OverflowError):
            sentence = _(
                "This list can't be filtered that way, so the filter was removed."
            )
            self.message_user(request, sentence, messages.WARNING, fail_silently=True)
            raise IncorrectLookupParameters from None

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> Any:
        """Return the search results; a search with too many words finds nothing."""
        if "\0" in search_term or len(search_term.split()) > _MOST_WORDS:
            return queryset.none(), False
        return super().get_search_results(request, queryset, search_term)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Execute the action for the selected rows; refuse invalid keys."""
        marked = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if not all(self._can_be_key(text) for text in marked):
            sentence = _(
                "The selection contains something that isn't a row in this "
                "list; select rows again."
            )
            self.message_user(request, sentence, messages.ERROR)
            return None
        answer: HttpResponse | None = super().response_action(
            request, queryset, *args, **kwargs
        )
        return answer

    def _can_be_key(self, text: str) -> bool:
        try:
            key = self.opts.pk.to_python(text)
        except (ValidationError, ValueError, OverflowError):
            return False
        return "\0" not in text and not (
            isinstance(key, int) and abs(key) > _LARGEST_KEY
        )


@functools.cache
def _strict(shown: type[Any]) -> type[ChangeList]:
    return type(shown.__name__, (OwnFiltersList, shown), {})


@functools.cache
def with_own_filters(admin_class: type[Any]) -> type[Any]:
    """Return the class of a model's pages, with a list restricted as above."""
    own = {"__module__": admin_class.__module__, "__doc__": admin_class.__doc__}
    return type(admin_class.__name__, (OwnFiltersMixin, admin_class), own)
