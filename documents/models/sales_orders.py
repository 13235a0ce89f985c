"""Sales orders: what customers ordered. They post no movements."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models import Warehouse
from documents.models.lines import DocumentWithLines, Line
from platform_site.records.fields import optional_reference


class SalesOrder(DocumentWithLines):
    """An order of a customer, with its due date."""

    catalog_name = "SalesOrders"
    number_prefix = "SO"
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

    class Meta(DocumentWithLines.Meta):
        verbose_name = _("sales order")
        verbose_name_plural = _("sales orders")
        permissions = [
            ("post_salesorder", "Can post sales order"),
            ("unpost_salesorder", "Can unpost sales order"),
        ]


class SalesOrderLine(Line):
    """One item ordered."""

    document = models.ForeignKey(
        SalesOrder, on_delete=models.CASCADE, related_name="line_rows"
    )

    class Meta(Line.Meta):
        verbose_name = _("line of a sales order")
        verbose_name_plural = _("lines of sales orders")
