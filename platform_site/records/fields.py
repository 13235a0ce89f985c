"""Columns of business rows that need more care than the database gives by itself."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeVar

from django import forms
from django.db import models
from django_stubs_ext import StrOrPromise

from platform_site.changes.labels import places_of

_Row = TypeVar("_Row", bound=models.Model)


class DecimalInput(forms.DecimalField):
    """A field that shows a decimal with the places it needs, and at least so many."""

    least_places = 0

    def prepare_value(self, value: Any) -> Any:
        """Return what stands in the box; what a person typed, as typed."""
        if not isinstance(value, Decimal):
            return value
        return f"{value:.{places_of(value, self.least_places)}f}"


class ExactDecimalField(models.DecimalField[Any, Any]):
    """A decimal of 18 digits, four of them decimal places, exact on SQLite too.

    SQLite keeps decimals as binary fractions of some 15 digits. There the column holds
    whole numbers of the smallest unit instead (1.5 with four places is 15000), which
    compare, sort and add up as the decimals do. Elsewhere it is ``numeric``.

    ``least_places`` is how many places people see at least: two of an amount of money,
    none of a quantity. The database does not know of it.
    """

    def __init__(self, *args: Any, least_places: int = 2, **kwargs: Any) -> None:
        super().__init__(*args, **{"max_digits": 18, "decimal_places": 4, **kwargs})
        self.least_places = least_places

    def formfield(self, **kwargs: Any) -> Any:
        """Return a form field that shows no more places than are needed."""
        field = super().formfield(**{"form_class": DecimalInput, **kwargs})
        if isinstance(field, DecimalInput):
            field.least_places = self.least_places
        return field

    def get_internal_type(self) -> str:
        """Keep the backend's own conversion of decimals away."""
        return "ExactDecimalField"

    def db_type(self, connection: Any) -> str:
        """Return the column's type."""
        if connection.vendor == "sqlite":
            return "bigint"
        return f"numeric({self.max_digits}, {self.decimal_places})"

    def get_db_prep_value(
        self,
        value: Any,
        connection: Any,
        prepared: bool = False,  # noqa: FBT001, FBT002 - Django's signature
    ) -> Any:
        """Return the value as the column holds it."""
        if not prepared:
            value = self.get_prep_value(value)
        if connection.vendor != "sqlite" or not isinstance(value, Decimal):
            return value
        return int(value.scaleb(self.decimal_places).to_integral_value())

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """Return the decimal the column stands for."""
        if value is None or isinstance(value, Decimal):
            return value
        return Decimal(value).scaleb(-self.decimal_places)


def reference(
    to: type[_Row], name: StrOrPromise, **options: Any
) -> models.ForeignKey[_Row, _Row]:
    """Return a foreign key to a business row, which keeps the row from being erased.

    Only rows that aren't deleted can be chosen.
    """
    return models.ForeignKey(
        to,
        on_delete=models.PROTECT,
        limit_choices_to={"is_deleted": False},
        verbose_name=name,
        **options,
    )


def optional_reference(
    to: type[_Row], name: StrOrPromise, **options: Any
) -> models.ForeignKey[_Row | None, _Row | None]:
    """Return a foreign key like `reference` that may be empty."""
    key: Any = reference(to, name, null=True, blank=True, **options)
    return key  # type: ignore[no-any-return] # of another type in the stubs
