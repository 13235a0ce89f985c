"""Amounts as people read them: with the digits of their currency, and its code."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from platform_site.changes.labels import number_in_words

_CENTS: Final = 2
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"


def digits_of(currency: Any) -> int:
    """Return the decimal places of a currency; it has two unless it says otherwise."""
    known = None if currency is None else currency.minor_units
    return _CENTS if known is None else int(known)


def amount_of(value: Decimal | int, currency: Any) -> str:
    """Return an amount with the digits of its currency, and more only if it has
    more."""
    return number_in_words(value, digits_of(currency))


def amount_in(value: Decimal | int, currency: Any) -> str:
    """Return an amount with its currency, in one piece."""
    return f"{amount_of(value, currency)}{_NO_BREAK}{currency.code}"


def rounded_of(value: Decimal | int, currency: Any) -> str:
    """Return an amount rounded to the digits of its currency, as people read values;
    costs of single pieces make them longer."""
    places = Decimal(1).scaleb(-digits_of(currency))
    return amount_of(Decimal(value).quantize(places, ROUND_HALF_UP), currency)


def rounded_in(value: Decimal | int, currency: Any) -> str:
    """Return an amount with its currency, rounded to the currency's digits."""
    return f"{rounded_of(value, currency)}{_NO_BREAK}{currency.code}"
