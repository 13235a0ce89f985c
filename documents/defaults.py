"""What a new document begins with: the warehouse, currency and bank account of the person's
last document, or those that the constants name, or the only ones there are."""

from __future__ import annotations

from typing import Any, Final

from django.db import models

from catalogs.models import BankAccount, Currency, Warehouse
from documents.constants import (
    DEFAULT_BANK_ACCOUNT,
    DEFAULT_CURRENCY,
    DEFAULT_WAREHOUSE,
    constants_on,
)
from documents.local_days import today
from documents.models import BankReceipt
from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import ChangeOrigin

_RECENT: Final = 200
# The columns that a person chooses again and again.
_CONSTANTS: Final[dict[str, tuple[Any, str]]] = {
    "warehouse": (Warehouse, DEFAULT_WAREHOUSE),
    "currency": (Currency, DEFAULT_CURRENCY),
    "bank_account": (BankAccount, DEFAULT_BANK_ACCOUNT),
}


def defaults_for(model: type[Any], user: Any) -> dict[str, int]:
    """Return the keys of the rows that a new document of a kind begins with, by
    field."""
    names = {field.name for field in model._meta.concrete_fields}
    wanted = [name for name in _CONSTANTS if name in names]
    if not wanted:
        return {}
    last = _last_document(model, user)
    constants = constants_on([_CONSTANTS[name][1] for name in wanted], today())
    found = {}
    for name in wanted:
        catalog, constant = _CONSTANTS[name]
        used = None if last is None else getattr(last, f"{name}_id")
        key = _live(catalog, pk=used) if used else None
        if key is None and constant in constants:
            key = _live(catalog, code=constants[constant])
        key = key or _only(catalog)
        if key is not None:
            found[name] = key
    return found


def bank_account_for(currency_id: int) -> int | None:
    """Return the bank account for a payment in a currency: the one used last, the one
    that the constant names, or the only one."""
    accounts = BankAccount.objects.filter(currency_id=currency_id, is_deleted=False)
    used = BankReceipt.objects.filter(bank_account__in=accounts, is_deleted=False)
    last = used.order_by("-pk").values_list("bank_account_id", flat=True).first()
    if last is not None:
        return int(last)
    code = constants_on([DEFAULT_BANK_ACCOUNT], today()).get(DEFAULT_BANK_ACCOUNT)
    named = None if code is None else accounts.filter(code=code).first()
    if named is not None:
        return int(named.pk)
    keys = list(accounts.values_list("pk", flat=True)[:2])
    return keys[0] if len(keys) == 1 else None


def _last_document(model: Any, user: Any) -> Any | None:
    """Return the document of a kind that a person created last, if it was lately."""
    events = ChangeEvent.objects.filter(user=user, origin=ChangeOrigin.USER)
    recent = events.order_by("-at", "-id").values_list("model", "action", "row_id")
    for kind, action, row_id in recent[:_RECENT]:
        if kind == model.catalog_name and action == ChangeEvent.Action.CREATED:
            return model._base_manager.filter(pk=row_id).first()
    return None


def _live(catalog: Any, **wanted: Any) -> int | None:
    rows: models.QuerySet[Any] = catalog.objects.filter(is_deleted=False, **wanted)
    return rows.values_list("pk", flat=True).first()


def _only(catalog: Any) -> int | None:
    """Return the only live row of a catalog, None if there are more."""
    keys = list(catalog.objects.filter(is_deleted=False).values_list("pk")[:2])
    return int(keys[0][0]) if len(keys) == 1 else None
