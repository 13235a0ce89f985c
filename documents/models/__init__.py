"""The models: one file per kind of document with its lines, and the registers."""

from __future__ import annotations

from documents.models.bank_receipts import BankReceipt
from documents.models.document import Document
from documents.models.goods_issues import GoodsIssue, GoodsIssueLine
from documents.models.goods_receipts import GoodsReceipt, GoodsReceiptLine
from documents.models.lines import DocumentWithLines
from documents.models.sales_orders import SalesOrder, SalesOrderLine
from documents.numbering import NumberSequence
from documents.registers.generation import RegisterGeneration
from documents.registers.ledger import LedgerEntry
from documents.registers.stock import StockBalance, StockMovement
from documents.reservations import DocumentReservation

__all__ = [
    "BankReceipt",
    "Document",
    "DocumentReservation",
    "DocumentWithLines",
    "GoodsIssue",
    "GoodsIssueLine",
    "GoodsReceipt",
    "GoodsReceiptLine",
    "LedgerEntry",
    "NumberSequence",
    "RegisterGeneration",
    "SalesOrder",
    "SalesOrderLine",
    "StockBalance",
    "StockMovement",
]
