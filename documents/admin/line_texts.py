"""The lines of a document as texts, for the page to read it and for its print."""

from __future__ import annotations

from typing import Any

from catalogs.models import Item
from documents.amounts import amount_of
from documents.posting.movements import line_amount
from documents.posting.progress import delivered_of_lines
from platform_site.records.admin.formatting import quantity


def lines_of(row: Any, currency: Any) -> list[dict[str, Any]]:
    """Return the item of each line, and the texts of its numbers."""
    keys = {line["item_id"] for line in row.lines}
    items = Item._base_manager.select_related("unit_of_measure").in_bulk(keys)
    return [
        {
            "number": number,
            "item": items[line["item_id"]],
            "unit": unit_of(items[line["item_id"]]),
            "quantity": quantity(line["quantity"]),
            "price": amount_of(line["price"], currency),
            "amount": amount_of(line_amount(line["quantity"], line["price"]), currency),
        }
        for number, line in enumerate(row.lines, start=1)
    ]


def unit_of(item: Any) -> str:
    """Return the code of an item's unit, empty for a folder."""
    unit = item.unit_of_measure
    return "" if unit is None else str(unit.code)


def delivered_lines(order: Any, currency: Any) -> list[dict[str, Any]]:
    """Return the lines of an order, each with what is delivered of it and whether that
    is less than ordered."""
    ordered = [(line["item_id"], line["quantity"]) for line in order.lines]
    delivered = delivered_of_lines(order.pk, ordered)
    return [
        {**line, "delivered": quantity(done), "is_short": done < wanted}
        for line, (_item, wanted), done in zip(
            lines_of(order, currency), ordered, delivered, strict=True
        )
    ]
