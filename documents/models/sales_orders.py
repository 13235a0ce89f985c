"""Sales orders: what customers ordered. They post no movements."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models import Warehouse
from documents.models.lines import DocumentWithLines, Line
from documents.posting import progress
from platform_site.records.fields import optional_reference


class SalesOrder(DocumentWithLines):
    """An order of a customer, with its due date."""

    catalog_name = "SalesOrders"
    number_prefix = "SO"
    set_by_save = DocumentWithLines.set_by_save | {"is_delivered", "is_part_delivered"}
    progress_from = frozenset({"lines"})
    warehouse = optional_reference(
        Warehouse,
        _("warehouse"),
        help_text=_("The warehouse that will deliver the goods, if it is known."),
    )
    due_date = models.DateField(
        _("due date"),
        null=True,
        blank=True,
        help_text=_("The day on which the customer expects the goods."),
    )
    is_delivered = models.BooleanField(
        _("delivered"),
        default=False,
        editable=False,
        help_text=_("Posted goods issues have delivered everything."),
    )
    is_part_delivered = models.BooleanField(
        _("part delivered"),
        default=False,
        editable=False,
        help_text=_("Posted goods issues have delivered some of it."),
    )

    class Meta(DocumentWithLines.Meta):
        verbose_name = _("sales order")
        verbose_name_plural = _("sales orders")
        permissions = [
            ("post_salesorder", "Can post sales order"),
            ("unpost_salesorder", "Can unpost sales order"),
        ]
        indexes = [
            *DocumentWithLines.Meta.indexes,
            # Lists of what is still to be delivered, and of what is late, by date.
            models.Index(
                fields=["date", "id", "due_date"],
                condition=models.Q(is_delivered=False, is_deleted=False),
                name="order_undelivered",
            ),
            models.Index(
                fields=["date", "id"],
                condition=models.Q(is_part_delivered=True),
                name="order_part_delivered",
            ),
        ]

    @classmethod
    def progress_of(cls, key: int, *, without: int | None = None) -> dict[str, Any]:
        """Return whether all or some of an order is delivered."""
        ordered = progress.ordered_quantities(key)
        issued = progress.issued_quantities(key, without=without)
        return progress.delivery(ordered, issued)


class SalesOrderLine(Line):
    """One item ordered."""

    document = models.ForeignKey(
        SalesOrder, on_delete=models.CASCADE, related_name="line_rows"
    )

    class Meta(Line.Meta):
        verbose_name = _("line of a sales order")
        verbose_name_plural = _("lines of sales orders")
