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


def rounded_in(value: Decimal | int, currency: Any) -> str:
    """Return an amount with its currency, rounded to the currency's digits."""
    places = Decimal(1).scaleb(-digits_of(currency))
    return amount_in(Decimal(value).quantize(places, ROUND_HALF_UP), currency)
