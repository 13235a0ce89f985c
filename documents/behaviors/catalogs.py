"""The rules that keep catalog values while posted documents depend on them. With other
values, posting these documents again would give other register entries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from catalogs.models import BankAccount, Item
from documents.behaviors.planned_uses import PlannedUses
from documents.models import BankReceipt, Document, DocumentWithLines
from documents.posting.simulation import SimulatedStock
from importer import Problem
from importer.targets import RowLookup, StaleReference, lock_row
from platform_site.records.behaviors import add_keeper, add_rule
from platform_site.records.row_lookup import DatabaseLookup
from platform_site.records.usage import Users, first_of


class _Posted:
    """A column that can't change while posted documents depend on it."""

    columns: ClassVar[frozenset[str]]

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterable[Problem]:
        """Yield a problem if the value changed while posted documents depend on it."""
        raise NotImplementedError(f"{type(self).__name__} has no check.")

    def keep(self, row: Any, columns: Collection[str] | None) -> None:
        """Check the row again under a lock that makes posting wait.

        Raise StaleReference if a document was posted after the first check.
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

    def simulate(self, row: Any, columns: Collection[str], lookup: RowLookup) -> None:
        """Note nothing."""


class StockedStaysStocked(_Posted):
    """An item of posted documents can't change between goods and service."""

    columns = frozenset({"category"})

    def simulate(self, row: Any, columns: Collection[str], lookup: RowLookup) -> None:
        """Note that an item changes between goods and service for documents that have
        its key from other rows."""
        stock = lookup.simulated(SimulatedStock)
        if stock is not None and not self.columns.isdisjoint(columns):
            stock.note_item(row)

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
        """Yield a problem if a posted item changes between goods and service."""
        if before is None or _has_stock(before) is _has_stock(row):
            return
        users = _posted(_with_item(row.pk), row, lookup)
        if users:
            message = _(
                "Goods and material have stock, services have none: the category cannot "
                "change between them while posted documents name the item (%(documents)s). "
                "Unpost them, or use another item."
            )
            words = {"documents": users}
            yield Problem("category", message % words, "in-posted-documents")


class PostedCurrencyStays(_Posted):
    """The currency of a bank account can't change once receipts in it are posted."""

    columns = frozenset({"currency", "currency_id"})

    def check(
        self, row: Any, before: Any | None, lookup: RowLookup
    ) -> Iterator[Problem]:
        """Yield a problem if the currency changed: ledger amounts are in the old
        one."""
        if before is None or before.currency_id == row.currency_id:
            return
        receipts = BankReceipt.objects.filter(bank_account_id=row.pk)
        users = _posted([receipts], row, lookup)
        if users:
            message = _(
                "The currency cannot change while posted documents use the account "
                "(%(documents)s). Unpost them, or use another account."
            )
            words = {"documents": users}
            yield Problem("currencyId", message % words, "in-posted-documents")


def watch_catalogs() -> None:
    """Add the rules with which documents guard catalogs."""
    rules = {Item: StockedStaysStocked(), BankAccount: PostedCurrencyStays()}
    for model, rule in rules.items():
        add_rule(model, rule)
        add_keeper(model, rule)


def _has_stock(item: Any) -> bool:
    return bool(item.category != Item.Category.SERVICE)


def _with_item(item_id: int) -> Iterator[QuerySet[Any]]:
    """Yield a query per kind for the documents whose lines name the item."""
    for kind in Document.kinds():
        if issubclass(kind, DocumentWithLines):
            lines: Any = kind.line_model()._base_manager
            named = lines.filter(item_id=item_id)
            yield kind.objects.filter(pk__in=named.values("document_id"))


def _posted(found: Iterable[QuerySet[Any]], row: Any, lookup: RowLookup) -> Users:
    """Return the posted documents among those found for a row."""
    posted = (documents.filter(is_active=True) for documents in found)
    planned = lookup.simulated(PlannedUses)
    if planned is None:
        return first_of(posted)
    return first_of(planned.added_to(documents, row.pk) for documents in posted)
