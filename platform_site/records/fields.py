"""Model fields for business rows: exact decimals and references."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeVar

from django import forms
from django.db import models
from django_stubs_ext import StrOrPromise

from platform_site.changes.labels import places_of

_Row = TypeVar("_Row", bound=models.Model)


class DecimalInput(forms.DecimalField):
    """A form field that shows a decimal with a minimum of decimal places."""

    least_places = 0

    def prepare_value(self, value: Any) -> Any:
        """Return the text of the field; input is unchanged."""
        if not isinstance(value, Decimal):
            return value
        return f"{value:.{places_of(value, self.least_places)}f}"


class ExactDecimalField(models.DecimalField[Any, Any]):
    """A decimal of 18 digits, four of them decimal places, exact on SQLite too.

    SQLite stores decimals as binary fractions of some 15 digits. There the column has
    integers of the smallest unit instead (1.5 with four places is 15000), which
    compare, sort and add up like the decimals. Other databases use ``numeric``.

    ``least_places`` is the minimum number of decimal places shown: two for amounts,
    none for quantities. The database doesn't use it.
    """

    def __init__(self, *args: Any, least_places: int = 2, **kwargs: Any) -> None:
        super().__init__(*args, **{"max_digits": 18, "decimal_places": 4, **kwargs})
        self.least_places = least_places
        self._unit = Decimal(1).scaleb(-self.decimal_places)

    def formfield(self, **kwargs: Any) -> Any:
        """Return a form field that shows only the needed decimal places."""
        field = super().formfield(**{"form_class": DecimalInput, **kwargs})
        if isinstance(field, DecimalInput):
            field.least_places = self.least_places
        return field

    def get_internal_type(self) -> str:
        """Prevent the backend's own conversion of decimals."""
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
        """Return the value as stored in the column."""
        # Django's conversion of a decimal only checks that it is a number.
        known = type(value) is Decimal and value.is_finite()
        if not prepared and not known:
            value = self.get_prep_value(value)
        if connection.vendor != "sqlite" or not isinstance(value, Decimal):
            return value
        return int(value.scaleb(self.decimal_places).to_integral_value())

    def unit(self, connection: Any) -> Decimal | None:
        """Return what a stored integer counts, None if decimals are stored."""
        return self._unit if connection.vendor == "sqlite" else None

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """Return the decimal for a stored value."""
        if value is None or isinstance(value, Decimal):
            return value
        if type(value) is int:
            return self._unit * value
        return Decimal(value).scaleb(-self.decimal_places)


def reference(
    to: type[_Row], name: StrOrPromise, **options: Any
) -> models.ForeignKey[_Row, _Row]:
    """Return a foreign key to a business row, which protects the row from being erased.

    Only live rows can be chosen.
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
