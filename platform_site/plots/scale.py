"""The scale of a plot: round numbers between which its values lie, and their labels."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from platform_site.plots import Number

_MOST_STEPS: Final = 4
_ROUND: Final = (Decimal(1), Decimal(2), Decimal(5), Decimal(10))
# Smaller numbers are short enough.
_SHORT: Final = 10_000


class Scale:
    """The range from the lowest to the highest value, always with zero in it."""

    def __init__(self, values: Iterable[Number]) -> None:
        given = [*values]
        found = [Decimal(0), *map(Decimal, given)]
        low, high = min(found), max(found)
        if low == high:
            high = Decimal(1)
        step = _step(high - low)
        if all(isinstance(value, int) for value in given):
            # There is no half of what is counted.
            step = max(step, Decimal(1))
        self.low = step * (low / step).to_integral_value("ROUND_FLOOR")
        self.high = step * (high / step).to_integral_value("ROUND_CEILING")
        count = int((self.high - self.low) / step)
        self.ticks = [self.low + step * number for number in range(count + 1)]

    def share(self, value: Number) -> float:
        """Return where a value lies between the lowest, 0, and the highest, 1."""
        return float((Decimal(value) - self.low) / (self.high - self.low))

    def labels(self) -> list[str]:
        """Return the labels of the ticks, in thousands or millions if they are long."""
        largest = max(abs(self.low), abs(self.high))
        # Translators: large numbers on the axis of a plot, as short as they are usual.
        units = (
            (10**9, _("%(number)s bn")),
            (10**6, _("%(number)s m")),
            (10**3, _("%(number)s k")),
        )
        for size, text in units if largest >= _SHORT else ():
            if largest >= size:
                return [
                    text % {"number": _short(tick / size)} if tick else "0"
                    for tick in self.ticks
                ]
        return [_short(tick) for tick in self.ticks]


def _step(span: Decimal) -> Decimal:
    """Return a round step that divides a span into a few parts."""
    least = span / _MOST_STEPS
    power = Decimal(10) ** least.adjusted()
    return next(power * each for each in _ROUND if power * each >= least)


def _short(value: Decimal) -> str:
    plain = value.normalize()
    exponent = plain.as_tuple().exponent
    places = max(0, -exponent) if isinstance(exponent, int) else 0
    return number_format(value, places, force_grouping=True)
