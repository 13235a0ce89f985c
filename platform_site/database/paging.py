"""Pages of big tables, which take little more than their rows: counting a million takes
longer than showing fifty."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.db.models import UniqueConstraint

# Nobody pages further, and a search or filter finds the other rows.
MOST: Final = 10_000
# Nor through so many results: another word finds fewer.
MOST_FOUND: Final = 1_000
# So many keys are found and counted at once.
_FEW: Final = 500
# Rows before a page are cheaper to skip as keys than with all their columns.
_DEEP: Final = 1000


class BigTablePaginator(Paginator[Any]):
    """A paginator that counts no further than ``most`` rows, and ends there.

    If there are only a few, for example those that match a search, their keys are
    queried once, and both the count and the page come from them.
    """

    most = MOST

    @cached_property
    def count(self) -> int:
        """Return the number of rows, at most `most`."""
        return min(self._counted, self.most)

    @property
    def is_more(self) -> bool:
        """Return whether there are more rows than are counted."""
        return self._counted > self.most

    def page(self, number: int | str) -> Page[Any]:
        """Return a page."""
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        end = min(first + self.per_page, self.count)
        return Page(self.rows(first, end), number, self)

    def narrowed(self, rows: Any) -> Any:
        """Return the rows that are paged, by their keys if there are only a few.

        Another paginator of the returned rows takes over what this one has counted.
        """
        few = self._few
        rows = rows.all() if few is None else _by_keys(rows, few)
        rows.counted_by = self
        return rows

    def rows(self, first: int, end: int) -> Any:
        """Return some rows; of few ones, of sorted ones, or far from the start, by
        their keys."""
        rows: Any = self.object_list
        if self._few is not None:
            return _by_keys(rows, self._few)[first:end] if self._few else []
        if first < _DEEP and not _is_sorted(rows):
            return rows[first:end]
        return _by_keys(rows, self._keys(first, end))

    def _keys(self, first: int, end: int) -> list[Any]:
        """Return the keys of a page in any order, counted from the end if that is nearer."""
        rows: Any = self.object_list
        after = self.count - end
        if self.is_more or first <= after:
            return list(rows.values_list("pk", flat=True)[first:end])
        keys = rows.reverse().values_list("pk", flat=True)
        return list(keys[max(after, 0) : self.count - first])

    @cached_property
    def _few(self) -> list[Any] | None:
        """Return the keys of all rows if there are only a few that were searched for,
        None otherwise."""
        rows: Any = self.object_list
        before = getattr(rows, "counted_by", None)
        if before is not None:
            found: list[Any] | None = before._few
            return found
        if _is_whole(rows):
            return None
        keys = list(rows.order_by().values_list("pk", flat=True)[: _FEW + 1])
        return keys if len(keys) <= _FEW else None

    @cached_property
    def _counted(self) -> int:
        if self._few is not None:
            return len(self._few)
        rows: Any = self.object_list
        before = getattr(rows, "counted_by", None)
        if before is not None and before.most == self.most:
            return int(before._counted)
        return int(rows.order_by()[: self.most + 1].count())


def _is_whole(rows: Any) -> bool:
    """Return whether rows are those of a table, apart from deleted ones: then counting
    is cheap, and 500 keys are read for nothing."""
    return all(
        getattr(getattr(getattr(each, "lhs", None), "target", None), "name", "")
        == "is_deleted"
        for each in rows.query.where.children
    )


def _is_sorted(rows: Any) -> bool:
    """Return whether no index has the rows in their order, so that all of them are
    sorted: with all columns that takes several times as long as with their keys."""
    first = next(iter(rows.query.order_by or rows.model._meta.ordering or ()), "pk")
    return isinstance(first, str) and first.lstrip("-") not in _ordered(rows.model)


@cache
def _ordered(model: Any) -> frozenset[str]:
    """Return the columns in whose order an index of a model has its rows."""
    options = model._meta
    found = {"pk"}
    for field in options.concrete_fields:
        if field.unique or field.db_index:
            found.add(field.attname)
    for index in options.indexes:
        found.update(name.lstrip("-") for name in index.fields[:1])
    for constraint in options.constraints:
        if isinstance(constraint, UniqueConstraint):
            found.update(constraint.fields[:1])
    # A reference orders by the rows that it refers to.
    return frozenset(found) - {f.name for f in options.concrete_fields if f.is_relation}


def _by_keys(rows: Any, keys: list[Any]) -> Any:
    """Return rows with these keys, without the condition by which they were found.

    It may be a search, which would compare texts of the whole table again.
    """
    rows = rows.all()
    rows.query.clear_where()
    return rows.filter(pk__one_of=keys)


class CountingPaginator(BigTablePaginator):
    """A paginator like the other one that counts every row."""

    is_more = False

    @cached_property
    def count(self) -> int:
        """Return the number of rows."""
        return self._counted

    @cached_property
    def _counted(self) -> int:
        if self._few is not None:
            return len(self._few)
        rows: Any = self.object_list
        return int(rows.order_by().count())
