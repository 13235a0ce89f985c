"""The columns of a list: those it offers, those that were chosen, and their cells.

A list offers the columns of its page, and that of business rows also the properties that
its page leaves out. The choice is in the parameter ``cols`` of the address.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.admin.utils import label_for_field
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.http import HttpRequest
from django.utils.text import capfirst

COLUMNS: Final = "cols"
_MOST_CHOSEN: Final = 50


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column that a list offers, and whether it is shown."""

    name: str
    label: str
    shown: bool


def offered(pages: Any, usual: Iterable[Any]) -> dict[str, Any]:
    """Return the columns that a list can have, by name: the usual ones and others."""
    named = {_name(one): one for one in usual}
    covered = {*named, *(_ordering(pages, one) for one in named.values())}
    for field in pages.more_columns() if hasattr(pages, "more_columns") else ():
        if field.name not in covered:
            shown = f"{field.name}_shown"
            name = shown if hasattr(pages, shown) else field.name
            named.setdefault(name, name)
    return named


def chosen_names(request: HttpRequest) -> list[str]:
    """Return the names of the columns that an address chooses, each once."""
    return names_in(request.GET.getlist(COLUMNS))


def names_in(given: Iterable[str]) -> list[str]:
    """Return the names in the values of the parameter, each once."""
    names = [name for text in given for name in text.split(",")[:_MOST_CHOSEN]]
    return list(dict.fromkeys(filter(None, names)))[:_MOST_CHOSEN]


def counted_order(order: str, shown: Iterable[Any]) -> str:
    """Return an order as the numbers of its columns, which it may also name.

    Numbers differ between people who see different columns, and names don't.
    """
    place = {_name(one): at for at, one in enumerate(shown)}
    counted = []
    for part in order.split("."):
        sign, name = _signed(part)
        if name in place:
            counted.append(f"{sign}{place[name]}")
        elif name.isdecimal():
            counted.append(part)
    return ".".join(counted)


def named_order(order: str, shown: Iterable[Any]) -> str:
    """Return an order as the names of its columns."""
    names = [_name(one) for one in shown]
    signed = [_signed(part) for part in order.split(".")]
    known = {str(at): name for at, name in enumerate(names)}
    return ".".join(f"{sign}{known[at]}" for sign, at in signed if at in known)


def _signed(part: str) -> tuple[str, str]:
    name = part.removeprefix("-")
    return part[: len(part) - len(name)], name


def references_among(model: Any, names: Iterable[str]) -> list[str]:
    """Return the columns that refer to other rows, which are loaded with the page."""
    return [
        name for name in names if getattr(_field(model, name), "many_to_one", False)
    ]


def menu_of_columns(changelist: Any, usual: Iterable[Any]) -> list[ListColumn]:
    """Return the columns that a list offers, those that are shown first."""
    pages, shown = changelist.model_admin, [_name(c) for c in changelist.list_display]
    columns = [
        ListColumn(name, _label(changelist, one), name in shown)
        for name, one in offered(pages, usual).items()
    ]
    place = {name: at for at, name in enumerate(shown)}
    return sorted(columns, key=lambda each: place.get(each.name, len(shown)))


def is_number(changelist: Any, column: Any) -> bool:
    """Return whether a column has numbers, which are aligned at their end."""
    name = _name(column)
    if name in getattr(changelist.model_admin, "number_columns", ()):
        return True
    source = _ordering(changelist.model_admin, column)
    field = _field(changelist.model, name) or _field(changelist.model, source)
    kinds = (models.DecimalField, models.IntegerField)
    return isinstance(field, kinds) and not (field.choices or field.is_relation)


def _name(column: Any) -> str:
    return column if isinstance(column, str) else str(column.__name__)


def _label(changelist: Any, column: Any) -> str:
    pages = changelist.model_admin
    return str(capfirst(str(label_for_field(column, changelist.model, pages))))


def _ordering(pages: Any, column: Any) -> str:
    """Return the column of the table that orders a column of a list."""
    shown = column if callable(column) else getattr(pages, str(column), None)
    order = getattr(shown, "admin_order_field", None)
    return order if isinstance(order, str) else ""


def _field(model: Any, name: str) -> Any:
    try:
        return model._meta.get_field(name) if name else None
    except FieldDoesNotExist:
        return None
