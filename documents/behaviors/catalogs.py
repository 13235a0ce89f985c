"""What catalogs may no longer change once posted documents rely on it: posting these anew
would say something else than the registers do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from catalogs.models import BankAccount, Item
from documents.models import BankReceipt, Document, DocumentWithLines
from importer.package.shapes import Problem
from platform_site.records.behaviors import add_rule
from platform_site.records.look import Look

_NAMED = 5


class StockedStaysStocked:
    """An item that posted documents name keeps its stock, and a service has none."""

    def check(self, row: Any, before: Any | None, look: Look) -> Iterator[Problem]:
        """Refuse to make a service of goods, or goods of one, once it is posted."""
        if before is None or _has_stock(before) is _has_stock(row):
            return
        named = _named(_with_item(row.pk))
        if named:
            message = _(
                "Goods and material have stock, services have none: the category cannot "
                "change between them while posted documents name the item (%(documents)s). "
                "Unpost them, or use another item."
            )
            words = {"documents": named}
            yield Problem("category", message % words, "in-posted-documents")


class PostedCurrencyStays:
    """A bank account keeps its currency once receipts are posted in it."""

    def check(self, row: Any, before: Any | None, look: Look) -> Iterator[Problem]:
        """Refuse another currency: amounts in the ledger are in the one before."""
        if before is None or before.currency_id == row.currency_id:
            return
        named = _named([BankReceipt.objects.filter(bank_account_id=row.pk)])
        if named:
            message = _(
                "The currency cannot change while posted documents use the account "
                "(%(documents)s). Unpost them, or use another account."
            )
            words = {"documents": named}
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


def _named(found: Iterable[QuerySet[Any]]) -> str:
    """Name up to five of the posted ones among some documents; ``""`` without any."""
    posted = (
        f"{documents.model._meta.verbose_name} {document}"
        for documents in found
        for document in documents.filter(is_active=True)[: _NAMED + 1]
    )
    names = [*islice(posted, _NAMED + 1)]
    named = ", ".join(names[:_NAMED])
    return _("%(rows)s and others") % {"rows": named} if len(names) > _NAMED else named
