"""The wire forms of documents and lines, with the names used in packages and the
API."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from documents import models
from importer.targets import LinesField, WireSerializer
from platform_site.records.serializers import RecordSerializer

_LINE = ("item", "quantity", "price")
_HEAD = ("id", "code", "date", "is_active", "comment", "total")
_LINES = _("The lines of the document, at least one.")


class DocumentSerializer(RecordSerializer):
    """The base of the wire forms of documents."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Keep the code of an existing document if an empty one is sent."""
        attrs = super().validate(attrs)
        if self.instance is not None and not attrs.get("code"):
            attrs.pop("code", None)
        return attrs


class SalesOrderLineSerializer(WireSerializer):
    """A line of an order on the wire."""

    class Meta:
        model = models.SalesOrderLine
        fields = _LINE


class SalesOrderSerializer(DocumentSerializer):
    """A sales order on the wire."""

    lines = LinesField(SalesOrderLineSerializer, help_text=_LINES)

    class Meta:
        model = models.SalesOrder
        fields = (
            *_HEAD,
            "counterparty",
            "warehouse",
            "currency",
            "due_date",
            "lines",
        )


class GoodsReceiptLineSerializer(WireSerializer):
    """A line of a receipt on the wire."""

    class Meta:
        model = models.GoodsReceiptLine
        fields = _LINE


class GoodsReceiptSerializer(DocumentSerializer):
    """A goods receipt on the wire."""

    lines = LinesField(GoodsReceiptLineSerializer, help_text=_LINES)

    class Meta:
        model = models.GoodsReceipt
        fields = (*_HEAD, "counterparty", "warehouse", "currency", "lines")


class GoodsIssueLineSerializer(WireSerializer):
    """A line of an issue on the wire."""

    class Meta:
        model = models.GoodsIssueLine
        fields = _LINE


class GoodsIssueSerializer(DocumentSerializer):
    """A goods issue on the wire."""

    lines = LinesField(GoodsIssueLineSerializer, help_text=_LINES)

    class Meta:
        model = models.GoodsIssue
        fields = (*_HEAD, "counterparty", "warehouse", "currency", "order", "lines")


class BankReceiptSerializer(DocumentSerializer):
    """A bank receipt on the wire."""

    class Meta:
        model = models.BankReceipt
        fields = (
            *_HEAD,
            "bank_account",
            "counterparty",
            "is_income",
            "amount",
            "purpose",
            "issue",
        )


DOCUMENTS: tuple[type[DocumentSerializer], ...] = (
    SalesOrderSerializer,
    GoodsReceiptSerializer,
    GoodsIssueSerializer,
    BankReceiptSerializer,
)
"""In an order in which each refers to earlier ones only."""

_wired: tuple[Any, ...] = DOCUMENTS
MODELS: dict[str, type[models.Document]] = {
    each.Meta.model.catalog_name: each.Meta.model for each in _wired
}
"""The models of the documents by their names on the wire, in the same order."""
