"""The refusals of posting, changing or unposting a document, with sentences that name
item, warehouse and quantities."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from msgspec.structs import replace

from catalogs.models import Currency, Item, Warehouse
from documents.local_days import day_of
from documents.posting.movements import Pair
from importer import Problem, Refusal

_NAMED = 5
# What finds a row by its model and key.
RowOf = Callable[[type[Any], int], Any]


def stored_row(model: type[Any], key: int) -> Any:
    """Return a row of the database by its key."""
    return model._base_manager.get(pk=key)


@dataclass(frozen=True, slots=True)
class Lack:
    """A shortage of an item in a warehouse: the quantities needed and available.

    ``line`` is the number of the document's line concerned, None if there is none.
    """

    pair: Pair
    moment: datetime
    needed: Decimal
    available: Decimal
    line: int | None


class NotEnoughStock(Refusal):
    """The refusal of a document that would make stock negative; ``shortages`` has the
    details for programs."""

    def __init__(self, lacks: Iterable[Lack], row_of: RowOf = stored_row) -> None:
        found = [(lack, _named(lack.pair, row_of)) for lack in lacks]
        self._found = found
        self.shortages = [_wire(lack, **named) for lack, named in found]
        super().__init__(_sentence(lack, named) for lack, named in found[:_NAMED])

    def at_lines(self) -> list[Problem]:
        """Return the problems of all shortages, each at the quantity of its line."""
        return [
            replace(_sentence(lack, named), path=_path(lack))
            for lack, named in self._found
        ]


def _path(lack: Lack) -> str:
    return "" if lack.line is None else f"lines[{lack.line - 1}].quantity"


def _sentence(lack: Lack, named: dict[str, Any]) -> Problem:
    message = _(
        "Not enough %(item)s in %(warehouse)s on %(day)s: %(needed)s needed, "
        "%(available)s available."
    )
    words = {
        **named,
        "day": day_of(lack.moment).isoformat(),
        "needed": number_format(plain(lack.needed)),
        "available": number_format(plain(lack.available)),
    }
    place = f"{named['item']} in {named['warehouse']}"
    return Problem("", message % words, "not-enough-stock", place)


def _wire(lack: Lack, *, item: Item, warehouse: Warehouse) -> dict[str, Any]:
    """Return a shortage in the form of the API."""
    return {
        "itemId": item.pk,
        "itemCode": item.code,
        "warehouseId": warehouse.pk,
        "warehouseCode": warehouse.code,
        "at": lack.moment.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "needed": f"{lack.needed:.4f}",
        "available": f"{lack.available:.4f}",
        "line": lack.line,
    }


def other_currency(
    pairs: Iterable[tuple[Pair, int]], currency_id: int, row_of: RowOf = stored_row
) -> Refusal:
    """Return the refusal of lines in a currency other than that of the stock's
    value."""
    wanted = row_of(Currency, currency_id).code
    problems = []
    for pair, known_id in list(pairs)[:_NAMED]:
        known = row_of(Currency, known_id).code
        message = _(
            "The stock of %(item)s in %(warehouse)s is valued in %(known)s; a line in "
            "%(wanted)s cannot be posted."
        )
        words = {**_named(pair, row_of), "known": known, "wanted": wanted}
        problems.append(Problem("", message % words, "other-currency", known))
    return Refusal(problems)


def too_much(pair: Pair, row_of: RowOf = stored_row) -> Refusal:
    """Return the refusal of a stock that doesn't fit its column."""
    message = _("The stock of %(item)s in %(warehouse)s would have too many digits.")
    return Refusal([Problem("", message % _named(pair, row_of), "too-many-digits")])


def plain(quantity: Decimal) -> str:
    """Return a quantity without trailing zeros."""
    text = f"{quantity:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _named(pair: Pair, row_of: RowOf) -> dict[str, Any]:
    item, warehouse = pair
    return {"item": row_of(Item, item), "warehouse": row_of(Warehouse, warehouse)}
