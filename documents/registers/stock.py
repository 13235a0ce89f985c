"""The stock register: one movement per line of a posted document, and the balance of
each item and warehouse. Only posting writes it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models import Currency, Item, Warehouse
from documents.registers.register import Register, optional_key, register_key
from platform_site.records.fields import ExactDecimalField


class StockMovement(Register):
    """The stock change of one line: positive for receipts, negative for issues."""

    # The name of its list in the API.
    list_name: ClassVar[str] = "StockMovements"
    # Rows that it refers to count as used by its document.
    row_of: ClassVar[tuple[str, str]] = ("document_type", "document_id")

    date = models.DateTimeField(_("date"))
    document_type = models.CharField(_("kind of document"), max_length=20)
    document_id = models.BigIntegerField(_("document"))
    # An index below serves the queries of both.
    item = register_key(Item, _("item"), db_index=False)
    warehouse = register_key(Warehouse, _("warehouse"), db_index=False)
    quantity = ExactDecimalField(_("quantity"), least_places=0)
    value = ExactDecimalField(_("value"))

    class Meta:
        verbose_name = _("stock movement")
        verbose_name_plural = _("stock movements")
        indexes = [
            # With the sums, so that reports read nothing but the index.
            models.Index(
                fields=["item", "warehouse", "date", "quantity", "value"],
                name="stock_sums",
            ),
            models.Index(fields=["date", "id"], name="stock_by_date"),
            models.Index(
                fields=["document_id", "document_type"], name="stock_of_document"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document_type} {self.document_id}: {self.quantity}"


class StockBalance(Register):
    """The sum of all movements of an item in a warehouse.

    Posting locks this row, so that two issues can't both take the last piece. The
    currency of the value is fixed while there are movements.
    """

    # Movements protect the item; a balance without any may be deleted with it.
    item = register_key(Item, _("item"), on_delete=models.CASCADE)
    warehouse = register_key(Warehouse, _("warehouse"), on_delete=models.CASCADE)
    currency = optional_key(Currency, _("currency"))
    quantity = ExactDecimalField(_("quantity"), default=0, least_places=0)
    value = ExactDecimalField(_("value"), default=0)
    movements = models.PositiveBigIntegerField(_("movements"), default=0)

    class Meta:
        verbose_name = _("stock balance")
        verbose_name_plural = _("stock balances")
        constraints = [
            models.UniqueConstraint(
                fields=["item", "warehouse"], name="stock_balance_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.item_id} in {self.warehouse_id}: {self.quantity}"
