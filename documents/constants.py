"""The constants that documents read. Administrators set them under *Constants*; a value
applies from its date on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Final

from catalogs.constants import values_on

# How many days after a goods issue its payment is due.
PAYMENT_DAYS: Final = "PaymentDays"
# The codes of the rows that a new document begins with.
DEFAULT_WAREHOUSE: Final = "DefaultWarehouse"
DEFAULT_CURRENCY: Final = "DefaultCurrency"
DEFAULT_BANK_ACCOUNT: Final = "DefaultBankAccount"
# The letterhead of printed documents.
COMPANY_NAME: Final = "CompanyName"
COMPANY_ADDRESS: Final = "CompanyAddress"
COMPANY_TAX_NUMBER: Final = "CompanyTaxNumber"


def constants_on(names: Iterable[str], day: date) -> dict[str, str]:
    """Return the values of constants on a day that aren't blank, with one query."""
    found = values_on(names, day)
    return {name: value.strip() for name, value in found.items() if value.strip()}
