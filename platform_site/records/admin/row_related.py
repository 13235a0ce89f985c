"""The rows that refer to a row, and those that it refers to, on the page *Related*. Every
query ends with the few rows that are shown, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import models
from django.db.models import F, QuerySet, Value
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext

from importer.targets import relations_to
from platform_site.changes.models import ChangeEvent
from platform_site.records.admin.row_details import detail, references
from platform_site.records.admin.row_parts import RelatedRows
from platform_site.records.models import Record
from platform_site.records.row_links import link_to_row

MOST: Final = 10
# Counted on every page of the row, so never more than these.
_MOST_COUNTED: Final = 100
# A document may name an item on several of its lines.
_MOST_PARTS: Final = 5 * MOST


@dataclass(frozen=True, slots=True)
class Count:
    """A number of rows, and whether there are more of them."""

    number: int
    has_more: bool = False

    def __str__(self) -> str:
        return f"{self.number}+" if self.has_more else str(self.number)


@dataclass(frozen=True, slots=True)
class _Way:
    """A way in which rows of a model refer to a row: directly, or in one of their
    parts."""

    model: type[Record]
    name: str
    # Live rows or parts that refer to the row, and their column with the key of the row.
    rows: QuerySet[Any]
    key: str

    @property
    def is_direct(self) -> bool:
        """Return whether a column of the row itself refers."""
        return self.key == "pk"


def count_changes(row: Any) -> Count:
    """Return the number of changes of a row, up to a limit."""
    events = ChangeEvent.objects.filter(model=row.catalog_name, row_id=row.pk)
    return _counted(len(events.order_by().values_list("pk")[:_MOST_COUNTED]))


def count_related(page: Any, request: HttpRequest, row: Any) -> Count:
    """Return the number of rows on the page *Related*, up to a limit, with one query."""
    own = sum(1 for _each in _own_references(page, row))
    ways = list(_ways(page, request, row))
    if not ways:
        return Count(own)
    first, *others = (
        way.rows.order_by().values_list(Value(place), F(way.key))
        for place, way in enumerate(ways)
    )
    found = list(first.union(*others, all=True)[:_MOST_COUNTED])
    return Count(own + len(set(found)), len(found) == _MOST_COUNTED)


def related_rows(page: Any, request: HttpRequest, row: Any) -> list[RelatedRows]:
    """Return the rows that refer to a row, the newest of each kind, and those that it
    refers to."""
    found = [_referring(page, request, way, row) for way in _ways(page, request, row)]
    own = list(_own_references(page, row))
    if own:
        rows = [
            (link_to_row(type(other), other.pk, request.user), (str(other), label))
            for label, other in own
        ]
        headings = (gettext("Row"), gettext("Property"))
        found.append(RelatedRows(gettext("Refers to"), headings, rows))
    return [each for each in found if each.rows]


def _counted(number: int) -> Count:
    return Count(number, number == _MOST_COUNTED)


def _own_references(page: Any, row: Any) -> Iterator[tuple[str, Any]]:
    for field in page.opts.concrete_fields:
        if field.is_relation and getattr(row, field.attname) is not None:
            yield str(capfirst(field.verbose_name)), getattr(row, field.name)


def _ways(page: Any, request: HttpRequest, row: Any) -> Iterator[_Way]:
    """Yield the ways in which rows that the reader may see can refer to a row.

    Registers are left out: their rows are written by documents, which refer themselves.
    """
    for relation in relations_to(page.model):
        model, name = relation.related_model, relation.field.name
        if issubclass(model, Record):
            way = _Way(model, name, model.objects.live().filter(**{name: row}), "pk")
        else:
            owner = getattr(model, "part_of", name)
            if owner == name:
                continue
            whole = model._meta.get_field(owner).related_model
            rows = model._base_manager.filter(
                **{name: row, f"{owner}__is_deleted": False}
            )
            way = _Way(whole, name, rows, f"{owner}_id")
        other = page.admin_site._registry.get(way.model)
        if other is not None and other.has_view_permission(request):
            yield way


def _referring(page: Any, request: HttpRequest, way: _Way, row: Any) -> RelatedRows:
    """Return the newest rows that refer to a row in one way.

    They are in the order of their keys, which the index of the reference has.
    """
    other = page.admin_site.get_model_admin(way.model)
    names = other.related_display
    wanted = {*references(way.model, names), *_selected(other)}
    keys = way.rows.order_by("-pk").values_list(way.key, flat=True)[:_MOST_PARTS]
    newest = list(dict.fromkeys(keys))[:MOST]
    # In the order of their list, which for documents is that of their dates.
    found = way.model._base_manager.select_related(*wanted).filter(pk__in=newest)
    cells = [
        (
            link_to_row(way.model, each.pk, request.user),
            [detail(other, each, name, request.user) for name in names],
        )
        for each in found
    ]
    columns = cells[0][1] if cells else []
    return RelatedRows(
        _title(page, way),
        [each.label for each in columns],
        [(link, [each.text for each in line]) for link, line in cells],
        _list_of(other, way, row) if way.is_direct else "",
        [place for place, each in enumerate(columns) if each.is_number],
    )


def _selected(page: Any) -> tuple[str, ...]:
    """Return the references that the columns of a list need."""
    chosen = page.list_select_related
    return tuple(chosen) if isinstance(chosen, list | tuple) else ()


def _title(page: Any, way: _Way) -> str:
    """Return the name of the kind, with that of the reference if there are several."""
    title = str(capfirst(way.model._meta.verbose_name_plural))
    same = [
        each
        for each in relations_to(page.model)
        if each.related_model is way.model and each.field.name != way.name
    ]
    if not same or not way.is_direct:
        return title
    field: Any = way.model._meta.get_field(way.name)
    return f"{title}: {field.verbose_name}"


def _list_of(page: Any, way: _Way, row: models.Model) -> str:
    """Return the URL of the list of all rows that refer to a row."""
    opts = page.opts
    url = reverse(
        f"{page.admin_site.name}:{opts.app_label}_{opts.model_name}_changelist"
    )
    return f"{url}?{way.name}__id__exact={row.pk}"
