"""What catalogs may no longer change once posted documents rely on it: posting these anew
would say something else than the registers do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from catalogs.models import BankAccount, Item
from documents.models import BankReceipt, Document, DocumentWithLines
from importer.package.shapes import Problem
from platform_site.records.behaviors import add_rule
from platform_site.records.look import Look
from platform_site.records.usage import Users, first_of


class StockedStaysStocked:
    """An item that posted documents name keeps its stock, and a service has none."""

    def check(self, row: Any, before: Any | None, look: Look) -> Iterator[Problem]:
        """Refuse to make a service of goods, or goods of one, once it is posted."""
        if before is None or _has_stock(before) is _has_stock(row):
            return
        users = _posted(_with_item(row.pk))
        if users:
            message = _(
                "Goods and material have stock, services have none: the category cannot "
                "change between them while posted documents name the item (%(documents)s). "
                "Unpost them, or use another item."
            )
            words = {"documents": users}
            yield Problem("category", message % words, "in-posted-documents")


class PostedCurrencyStays:
    """A bank account keeps its currency once receipts are posted in it."""

    def check(self, row: Any, before: Any | None, look: Look) -> Iterator[Problem]:
        """Refuse another currency: amounts in the ledger are in the one before."""
        if before is None or before.currency_id == row.currency_id:
            return
        users = _posted([BankReceipt.objects.filter(bank_account_id=row.pk)])
        if users:
            message = _(
                "The currency cannot change while posted documents use the account "
                "(%(documents)s). Unpost them, or use another account."
            )
            words = {"documents": users}
            yield Problem("currencyId", message % words, "in-posted-documents")


def watch_catalogs() -> None:
    """Let documents judge the catalogs they rely on."""
    add_rule(Item, StockedStaysStocked())
    add_rule(BankAccount, PostedCurrencyStays())


def _has_stock(item: Any) -> bool:
    return bool(item.category != Item.Category.SERVICE)


def _with_item(item_id: int) -> Iterator[QuerySet[Any]]:
    """Yield the documents of each kind with an item in their lines."""
    for kind in Document.kinds():
        if issubclass(kind, DocumentWithLines):
            lines: Any = kind.line_model()._base_manager
            named = lines.filter(item_id=item_id)
            yield kind.objects.filter(pk__in=named.values("document_id"))


def _posted(found: Iterable[QuerySet[Any]]) -> Users:
    """Return the posted ones among some documents."""
    return first_of(documents.filter(is_active=True) for documents in found)
