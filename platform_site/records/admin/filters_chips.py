"""The filters of a list as chips above its rows, and the menu that adds others.

Every filter of a list is in both: its chip has the words of the choice that is selected.
A filter may have ``chip_text(changelist)`` to word its chip itself, and may be left out
with ``has_chip`` or ``in_menu``, for example if the list shows it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.contrib.admin.views.main import ALL_VAR, SEARCH_VAR
from django.utils.formats import date_format
from django.utils.text import capfirst

from platform_site.records.admin.filters_links import field_named, linked_text

# What shows a list in another way and leaves all of its rows.
_NO_FILTERS = frozenset({"o", "cols", "view", ALL_VAR, "_facets"})


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A filter that is active, in words, and the query string without it."""

    title: str
    text: str
    without: str


def chips_of(changelist: Any) -> list[FilterChip]:
    """Return the active filters of a list, in the order of its menu."""
    return [
        *_chips_of_filters(changelist),
        *_chips_of_links(changelist),
        *_chips_of_navigation(changelist),
    ]


def menu_of(changelist: Any) -> list[Any]:
    """Return the filters that the menu of a list offers."""
    return [one for one in changelist.filter_specs if getattr(one, "in_menu", True)]


def is_narrowed(changelist: Any) -> bool:
    """Return whether a list shows only some of its rows."""
    given = (name for name, value in changelist.params.items() if value)
    return any(name not in _NO_FILTERS for name in given)


def cleared(changelist: Any) -> str:
    """Return the query string with the columns and the order alone."""
    left = {"o", "cols"}
    out = [name for name in changelist.filter_params if name not in left]
    query: str = changelist.get_query_string(remove=[*out, SEARCH_VAR])
    return query


def _chips_of_filters(changelist: Any) -> Iterator[FilterChip]:
    for one in changelist.filter_specs:
        own = [name for name in one.expected_parameters() if name]
        given = changelist.filter_params
        used = any(value for name in own for value in given.get(name, ()))
        if not used or not getattr(one, "has_chip", True):
            continue
        without = changelist.get_query_string(remove=own)
        text = _text_of(one, changelist, without)
        if text:
            yield FilterChip(str(capfirst(one.title)), text, without)


def _text_of(one: Any, changelist: Any, without: str) -> str:
    """Return the words of the choice of a filter, empty if it leaves all rows."""
    if hasattr(one, "chip_text"):
        return str(one.chip_text(changelist))
    return ", ".join(
        str(choice["display"])
        for choice in one.choices(changelist)
        if choice.get("selected") and choice.get("query_string") != without
    )


def _chips_of_links(changelist: Any) -> Iterator[FilterChip]:
    """Yield what links of other pages have set and no filter of the list shows."""
    pages = changelist.model_admin
    shown = {
        name for one in changelist.filter_specs for name in one.expected_parameters()
    }
    for name in getattr(pages, "linked_by", ()):
        if name in shown:
            continue
        for value in changelist.filter_params.get(name, [])[-1:]:
            text = linked_text(changelist, name, value)
            without = changelist.get_query_string(remove=[name])
            yield FilterChip(_label(changelist.opts, name), text, without)


def _label(opts: Any, name: str) -> str:
    field = field_named(opts, name)
    return name if field is None else str(capfirst(field.verbose_name))


def _chips_of_navigation(changelist: Any) -> Iterator[FilterChip]:
    """Yield the year, month or day that was chosen in the date navigation."""
    name = changelist.date_hierarchy
    year = changelist.params.get(f"{name}__year") if name else None
    if year is None:
        return
    month = changelist.params.get(f"{name}__month")
    day = changelist.params.get(f"{name}__day")
    first = date(int(year), int(month or 1), int(day or 1))
    text = year
    if month:
        text = date_format(first, "DATE_FORMAT" if day else "YEAR_MONTH_FORMAT")
    parts = [f"{name}__{part}" for part in ("year", "month", "day")]
    without = changelist.get_query_string(remove=parts)
    yield FilterChip(_label(changelist.opts, name), str(capfirst(text)), without)
