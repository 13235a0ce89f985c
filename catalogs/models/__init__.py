"""The models: one file per catalog, each with its wire name ``catalog_name``."""

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
