"""Why a document cannot be posted, changed or taken back, in sentences that name item,
warehouse and quantities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from catalogs.models import Currency, Item, Warehouse
from documents.posting.shelf import Pair
from importer.package.shapes import Problem, Refusal

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Lack:
    """Say what a document needs of an item at the worst moment, and what is there."""

    pair: Pair
    needed: Decimal
    available: Decimal
    moment: datetime


def shortage(lacks: Iterable[Lack]) -> Refusal:
    """Return the refusal of stock that would be negative."""
    found = list(lacks)
    return Refusal(
        Problem(
            "",
            _(
                "Not enough %(item)s in %(warehouse)s on %(day)s: %(needed)s needed, "
                "%(available)s available."
            )
            % {
                **_named(lack.pair),
                "day": _day(lack.moment),
                "needed": number_format(plain(lack.needed)),
                "available": number_format(plain(lack.available)),
            },
        )
        for lack in found[:_NAMED]
    )


def other_currency(pairs: Iterable[tuple[Pair, int]], currency_id: int) -> Refusal:
    """Return the refusal of lines in another currency than the stock's value."""
    wanted = Currency._base_manager.get(pk=currency_id).code
    problems = []
    for pair, known_id in list(pairs)[:_NAMED]:
        known = Currency._base_manager.get(pk=known_id).code
        message = _(
            "The stock of %(item)s in %(warehouse)s is valued in %(known)s; a line in "
            "%(wanted)s cannot be posted."
        )
        words = {**_named(pair), "known": known, "wanted": wanted}
        problems.append(Problem("", message % words))
    return Refusal(problems)


def too_much(pair: Pair) -> Refusal:
    """Return the refusal of a stock no column could hold."""
    message = _("The stock of %(item)s in %(warehouse)s would have too many digits.")
    return Refusal([Problem("", message % _named(pair))])


def plain(quantity: Decimal) -> str:
    """Return a quantity without the zeros at its end."""
    text = f"{quantity:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _named(pair: Pair) -> dict[str, object]:
    item = Item._base_manager.get(pk=pair[0])
    warehouse = Warehouse._base_manager.get(pk=pair[1])
    return {"item": item, "warehouse": warehouse}


def _day(moment: datetime) -> str:
    """Return the day of a moment as ``Platform:TimeZone`` has it."""
    try:
        local = moment.astimezone(ZoneInfo(settings.PLATFORM_TIME_ZONE))
    except OverflowError:
        local = moment.astimezone(UTC)
    return local.date().isoformat()
