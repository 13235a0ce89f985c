"""What catalogs may no longer change once posted documents rely on it: posting these anew
would say something else than the registers do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from catalogs.models import BankAccount, Item
from documents.models import BankReceipt, Document, DocumentWithLines
from importer import Problem
from importer.targets import RowLookup, StaleReference, lock_row
from platform_site.records.behaviors import add_keeper, add_rule
from platform_site.records.row_lookup import DatabaseLookup
from platform_site.records.usage import Users, first_of


class _Posted:
    """A column that stays as it is while posted documents rely on it."""

    columns: ClassVar[frozenset[str]]

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterable[Problem]:
        """Refuse another value while posted documents rely on the one before."""
        raise NotImplementedError(f"{type(self).__name__} judges nothing.")

    def keep(self, row: Any, columns: Collection[str] | None) -> None:
        """Judge the row once more, under a lock for which whoever posts has to wait.

        StaleReference if a document was posted since the rule looked for it.
        """
        if row._state.adding or (
            columns is not None and self.columns.isdisjoint(columns)
        ):
            return
        lock_row(row)
        before = type(row)._base_manager.filter(pk=row.pk).first()
        problems = list(self.check(row, before, DatabaseLookup()))
        if problems:
            raise StaleReference(problems)


class StockedStaysStocked(_Posted):
    """An item that posted documents name keeps its stock, and a service has none."""

    columns = frozenset({"category"})

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
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


class PostedCurrencyStays(_Posted):
    """A bank account keeps its currency once receipts are posted in it."""

    columns = frozenset({"currency", "currency_id"})

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
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
    rules = {Item: StockedStaysStocked(), BankAccount: PostedCurrencyStays()}
    for model, rule in rules.items():
        add_rule(model, rule)
        add_keeper(model, rule)


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
