"""Who may see the pages of the reports: whoever may see the register, as in the API."""

from __future__ import annotations

from typing import Any

from documents.models import LedgerEntry, StockMovement
from importer.targets import authorise
from platform_site.records.errors import NotAllowed


def may_see(user: Any, register: type[Any]) -> bool:
    """Return whether a user may see a register and what is computed from it."""
    try:
        authorise(user, register, "view")
    except NotAllowed:
        return False
    return True


def may_see_stock(user: Any) -> bool:
    """Return whether a user may see the movements of stock."""
    return may_see(user, StockMovement)


def may_see_ledger(user: Any) -> bool:
    """Return whether a user may see the entries of the ledger."""
    return may_see(user, LedgerEntry)
