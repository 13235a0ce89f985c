"""Columns of business rows that need more care than the database gives by itself."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    _DecimalField = models.DecimalField[Any, Any]
else:
    _DecimalField = models.DecimalField


class ExactDecimalField(_DecimalField):
    """Keep up to 18 digits exactly, on SQLite too.

    SQLite keeps decimals as binary fractions of some 15 digits. There the column holds
    whole numbers of the smallest unit instead (1.5 with four places is 15000), which
    compare, sort and add up as the decimals do. Elsewhere it is ``numeric``.
    """

    def get_internal_type(self) -> str:
        """Keep the backend's own conversion of decimals away."""
        return "ExactDecimalField"

    def db_type(self, connection: Any) -> str:
        """Return the column's type."""
        if connection.vendor == "sqlite":
            return "bigint"
        return f"numeric({self.max_digits}, {self.decimal_places})"

    def rel_db_type(self, connection: Any) -> str:
        """Return the type of a column that refers to this one."""
        return self.db_type(connection)

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
