"""Cursors: the place in a list after which the next page begins.

A place is the values of one row in the columns of the order, of which the key is the last.
So rows that are inserted, deleted or changed elsewhere in the list move no other row from
one page to the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.core import signing
from django.core.exceptions import ValidationError as WrongValue
from django.db import connection, models
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

CURSOR: Final = "cursor"
_SALT: Final = "platform.cursor"
# Long enough that no other list has the same by chance.
_DIGITS: Final = 16
_NOTHING: Final = Q(pk__in=())


def identity(model: type[models.Model], query: Mapping[str, str]) -> str:
    """Return what identifies a list: its rows, its filters and its order."""
    parts = [model._meta.label, *(f"{n}={query[n]}" for n in sorted(query))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_DIGITS]


def cursor_after(row: Any, rows: QuerySet[Any], about: str) -> str:
    """Return the cursor after a row of a list; ``about`` identifies the list."""
    columns = [name.lstrip("-") for name in _order_of(rows)]
    values = [_plain(getattr(row, name)) for name in columns]
    return signing.Signer(salt=_SALT).sign_object([about, *values], compress=True)


def rows_after(rows: QuerySet[Any], cursor: str, about: str) -> QuerySet[Any]:
    """Return the rows after a cursor; raise ValidationError if it isn't one of the
    list."""
    try:
        given, *values = signing.Signer(salt=_SALT).unsign_object(cursor)
    except (signing.BadSignature, ValueError):
        sentence = _("This isn't a cursor of this list; begin with an empty one.")
        raise ValidationError({CURSOR: [sentence]}) from None
    places = [_Place(rows.model, name) for name in _order_of(rows)]
    if given != about or len(places) != len(values):
        sentence = _(
            "The cursor belongs to other filters or another ordering; send those, or "
            "begin with an empty one."
        )
        raise ValidationError({CURSOR: [sentence]})
    try:
        typed = [each.typed(v) for each, v in zip(places, values, strict=True)]
    except WrongValue:
        # The column had another type when the cursor was made.
        sentence = _("The cursor is too old; begin with an empty one.")
        raise ValidationError({CURSOR: [sentence]}) from None
    return rows.filter(_after(places, typed))


class _Place:
    """One column of an order."""

    def __init__(self, model: type[models.Model], name: str) -> None:
        self.down, self.column = name.startswith("-"), name.lstrip("-")
        columns: Any = model._meta.concrete_fields
        self._field = next(f for f in columns if self.column in (f.name, f.attname))

    def typed(self, value: Any) -> Any:
        """Return the value of a cursor in the type of the column."""
        field = self._field.target_field if self._field.is_relation else self._field
        return field.to_python(value)

    def same(self, value: Any) -> Q:
        """Return the condition for rows with a value."""
        if value is None:
            return Q(**{f"{self.column}__isnull": True})
        return Q(**{self.column: value})

    def beyond(self, value: Any) -> Q:
        """Return the condition for rows with a later value."""
        # Where null comes depends on the database.
        first = connection.features.order_by_nulls_first is not self.down
        if value is None:
            return Q(**{f"{self.column}__isnull": False}) if first else _NOTHING
        later = Q(**{f"{self.column}__{'lt' if self.down else 'gt'}": value})
        if first or not self._field.null:
            return later
        return later | Q(**{f"{self.column}__isnull": True})

    def bound(self, value: Any) -> Q:
        """Return a condition that holds for all rows from a value on, and for which a
        database can use an index."""
        if self._field.null:
            return Q()
        return Q(**{f"{self.column}__{'lte' if self.down else 'gte'}": value})


def _after(places: Sequence[_Place], values: Sequence[Any]) -> Q:
    """Return the condition for the rows after some values of the columns."""
    later, equal = _NOTHING, Q()
    for place, value in zip(places, values, strict=True):
        later |= equal & place.beyond(value)
        equal &= place.same(value)
    return places[0].bound(values[0]) & later


def _order_of(rows: QuerySet[Any]) -> list[str]:
    """Return the columns by which rows are ordered, up to the key."""
    columns = [str(name) for name in rows.query.order_by]
    # No two rows have the same key, so what comes after it changes nothing.
    keys = [place for place, name in enumerate(columns) if name in ("id", "-id")]
    return columns[: keys[0] + 1]


def _plain(value: Any) -> Any:
    """Return a value for JSON, of which the column makes the same value again."""
    return value if value is None or isinstance(value, (bool, int)) else str(value)
