"""What the pages of catalog rows show of documents and registers: figures and related
rows. Catalogs stand below documents, so that these are registered here."""

from __future__ import annotations

from catalogs.models import Account, BankAccount, Counterparty, Item, Warehouse
from documents.admin.catalog_money import (
    AccountParts,
    BankAccountParts,
    CounterpartyParts,
)
from documents.admin.catalog_stock import ItemParts, WarehouseParts
from platform_site.records.admin.row_parts import register_row_parts

register_row_parts(Account, AccountParts())
register_row_parts(BankAccount, BankAccountParts())
register_row_parts(Counterparty, CounterpartyParts())
register_row_parts(Item, ItemParts())
register_row_parts(Warehouse, WarehouseParts())
