"""The lists of all pages: chosen columns, saved views, and the restriction of their URLs
to their own filters, links and orders. Django accepts every lookup on every column, also
on hidden ones, and expensive regular expressions."""

from __future__ import annotations

import functools
from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import SEARCH_VAR, ChangeList
from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from platform_site.database.paging import MOST_FOUND, BigTablePaginator
from platform_site.records.admin import columns
from platform_site.records.missing_rows import MissingRowMixin
from platform_site.site.overview.change_list import OwnFiltersList
from platform_site.site.overview.list_views import SavedViewsMixin

# A search looks for each of its words in each column.
_MOST_WORDS = 50
_LARGEST_KEY = 2**63 - 1
# The parameter of fields that search while typing.
_TYPED = "term"


class OwnFiltersMixin(SavedViewsMixin):
    """A list that redirects URLs with other filters to the whole list.

    The site adds it to every registered class. A class may name in ``linked_by`` the
    columns with which links of other pages filter its list, and in ``sorted_within`` the
    parameters that leave few enough rows to sort them by any column.
    """

    paginator = BigTablePaginator
    # Counting all rows without the filters takes longer than showing the page.
    show_full_result_count = False

    @property
    def usual_columns(self) -> Any:
        """Return the columns of the list unless others are chosen."""
        return self.list_display

    def get_list_display(self, request: HttpRequest) -> Any:
        """Return the chosen columns, or the usual ones."""
        usual = super().get_list_display(request)
        names = columns.chosen_names(request)
        if not names:
            return usual
        known = columns.offered(self, usual)
        return tuple(known[name] for name in names if name in known) or usual

    def get_list_display_links(self, request: HttpRequest, list_display: Any) -> Any:
        """Return the columns that link to a row; one of those shown does."""
        links = super().get_list_display_links(request, list_display)
        if not links or not columns.chosen_names(request):
            return links
        return [each for each in links if each in list_display] or [list_display[0]]

    def get_list_select_related(self, request: HttpRequest) -> Any:
        """Return the references to load with the rows, also for chosen columns."""
        usual = super().get_list_select_related(request)
        shown = self.get_list_display(request) if columns.chosen_names(request) else ()
        named = [each for each in shown if isinstance(each, str)]
        also = columns.references_among(self.model, named)
        if usual is True or not also:
            return usual
        return tuple(dict.fromkeys((*(usual or ()), *also)))

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
            known = columns.offered(self, self.usual_columns)
            if not known.keys() >= set(columns.chosen_names(request)):
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
    return type(
        admin_class.__name__, (MissingRowMixin, OwnFiltersMixin, admin_class), own
    )
