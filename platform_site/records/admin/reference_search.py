"""The search of lists by the rows that they refer to."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any, ClassVar, Final

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

# So many rows are named in the queries of the list; more are searched by each of them.
_NAMED: Final = 20_000


class ReferenceSearchMixin(admin.ModelAdmin[Any]):
    """A list that is searched by its own texts and by those of referenced rows.

    Those are searched first, in their own table and like in their own list: a join would
    compare their texts once for every row of this list.
    """

    searched_references: ClassVar[tuple[str, ...]] = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the rows that match, or refer to a row that does."""
        if not search_term.split():
            return queryset, False
        conditions = []
        if self.search_fields:
            own, _ = super().get_search_results(request, queryset, search_term)
            conditions.append(Q(pk__in=own.order_by().values("pk")))
        for name in self.searched_references:
            model: Any = self.model._meta.get_field(name).related_model
            pages = self.admin_site.get_model_admin(model)
            rows = self.occurring(name, model._base_manager.order_by())
            keys, _ = pages.get_search_results(request, rows, search_term)
            conditions += _refers_to(name, keys.values_list("pk", flat=True))
        if not conditions:
            return queryset.none(), False
        return queryset.filter(reduce(or_, conditions)), False

    def occurring(self, name: str, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows to search for a reference: all, or only those to which this
        list refers, if a small table knows them."""
        return rows

    def get_search_fields(self, request: HttpRequest) -> Any:
        """Return the fields; any makes Django show the search."""
        return super().get_search_fields(request) or self.searched_references


def _refers_to(name: str, keys: QuerySet[Any]) -> list[Q]:
    """Return the condition that a column refers to one of these rows, if there are any.

    They are searched now: a list is queried about ten times, for its page, counts, dates
    and totals.
    """
    named = list(keys[: _NAMED + 1])
    if len(named) > _NAMED:
        return [Q(**{f"{name}__in": keys})]
    return [Q(**{f"{name}__one_of": named})] if named else []
