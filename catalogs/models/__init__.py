"""One file per catalog; the wire name of each is its ``catalog_name``."""

from __future__ import annotations

from catalogs.models.accounts import Account
from catalogs.models.bank_accounts import BankAccount
from catalogs.models.constants import Constant
from catalogs.models.counterparties import Counterparty
from catalogs.models.currencies import Currency
from catalogs.models.items import Item
from catalogs.models.units_of_measure import UnitOfMeasure
from catalogs.models.warehouses import Warehouse

__all__ = [
    "Account",
    "BankAccount",
    "Constant",
    "Counterparty",
    "Currency",
    "Item",
    "UnitOfMeasure",
    "Warehouse",
]
