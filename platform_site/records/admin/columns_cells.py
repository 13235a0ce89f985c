"""The cells of a list: the texts of its columns, with the name of the column beside each
for phones, where a row is a card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.templatetags.admin_list import result_headers
from django.contrib.admin.utils import (
    display_for_field,
    display_for_value,
    lookup_field,
)
from django.core.exceptions import ObjectDoesNotExist
from django.db import models
from django.urls import NoReverseMatch
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from platform_site.changes.labels import in_words
from platform_site.records.admin.columns import is_number
from platform_site.records.admin.formatting import moment

_CHECKBOX = "action_checkbox"
_WRAPPED = (models.TextField,)


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a column in one row, with its classes and its label."""

    text: Any
    classes: str
    label: str
    # The cell that names its row.
    is_heading: bool


@dataclass(frozen=True, slots=True)
class ListTable:
    """The headings and the rows of a page of a list."""

    headers: list[dict[str, Any]]
    rows: list[list[Cell]]


def table_of(changelist: Any) -> ListTable:
    """Return the table of a page of a list."""
    headers: list[Any] = list(result_headers(changelist))
    columns = []
    for name, header in zip(changelist.list_display, headers, strict=True):
        number = name != _CHECKBOX and is_number(changelist, name)
        text = "" if name == _CHECKBOX else strip_tags(str(header["text"]))
        columns.append((name, str(capfirst(text)), number))
        header["is_number"] = number
    rows = [list(_cells(changelist, row, columns)) for row in changelist.result_list]
    return ListTable(headers, rows)


def reference_text(site: Any, row: Any) -> Any:
    """Return how cells name a row: as its own pages say, or by its text."""
    pages = site._registry.get(type(row))
    return pages.short_name(row) if hasattr(pages, "short_name") else str(row)


def _cells(
    changelist: Any, row: Any, columns: list[tuple[Any, str, bool]]
) -> Iterator[Cell]:
    """Yield the cells of a row. As in Django's list, the first linked one names it."""
    links, first = changelist.list_display_links, True
    url = "" if links is None else _url(changelist, row)
    for column, label, number in columns:
        name = column if isinstance(column, str) else column.__name__
        if column == _CHECKBOX:
            box = changelist.model_admin.action_checkbox(row)
            yield Cell(box, "action-checkbox", "", is_heading=False)
            continue
        is_link = links is not None and (column in links if links else first)
        text, kind = _text(changelist, row, column)
        if is_link and url:
            text = _linked(changelist, row, url, text)
        classes = " ".join(
            filter(None, [f"field-{name}", kind, "number" if number else ""])
        )
        yield Cell(text, classes, label, is_heading=is_link and first)
        first = first and not is_link


def _text(changelist: Any, row: Any, column: Any) -> tuple[Any, str]:
    """Return the text of a cell, and the class of what it is."""
    pages = changelist.model_admin
    empty = pages.get_empty_value_display()
    try:
        field, attr, value = lookup_field(column, row, pages)
    except ObjectDoesNotExist:
        return empty, ""
    empty = getattr(attr, "empty_value_display", empty)
    if isinstance(value, str) and not value.strip():
        value = ""
    if field is None or field.auto_created:
        boolean = getattr(attr, "boolean", False)
        if boolean and isinstance(value, bool):
            return in_words(value), ""
        return display_for_value(value, empty, boolean), ""
    if field.many_to_one:
        other = getattr(row, field.name)
        if other is None:
            return empty, ""
        return reference_text(pages.admin_site, other), ""
    if isinstance(value, bool):
        return in_words(value), ""
    if isinstance(field, models.DateTimeField) and value is not None:
        return moment(value), "nowrap"
    kind = "nowrap" if isinstance(field, models.DateField | models.TimeField) else ""
    kind = "long-text" if isinstance(field, _WRAPPED) else kind
    return display_for_field(value, field, empty, avoid_link=True), kind


def _url(changelist: Any, row: Any) -> str:
    """Return the address of a row's page with the filters of the list, empty if the
    row has no page."""
    try:
        url: str = changelist.url_for_result(row)
    except NoReverseMatch:
        return ""
    kept = changelist.preserved_filters
    return f"{url}?{kept}" if kept else url


def _linked(changelist: Any, row: Any, url: str, text: Any) -> SafeString:
    """Return the text of a cell as a link to the page of its row."""
    if not changelist.is_popup:
        return format_html('<a href="{}">{}</a>', url, text)
    key = row.serializable_value(str(changelist.to_field or changelist.pk_attname))
    return format_html('<a href="{}" data-popup-opener="{}">{}</a>', url, key, text)
