"""Parameters without a type, so that a prepared statement serves all values.

psycopg gives a number the type of its size, and nothing the type of nothing: a
statement would be prepared once for each combination. Without a type the server takes
that of the column.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from psycopg.adapt import AdaptersMap, Dumper
from psycopg.types.datetime import DateDumper
from psycopg.types.numeric import DecimalDumper


def untyped(adapters: AdaptersMap) -> AdaptersMap:
    """Return a copy of adapters that sends the usual values without a type."""
    copy = AdaptersMap(adapters)
    for kind, dumper in (
        (int, _Number),
        (bool, _Truth),
        (Decimal, _Decimal),
        (datetime, _Moment),
        (date, _Date),
    ):
        copy.register_dumper(kind, dumper)
    return copy


class _Number(Dumper):
    """An integer of any size."""

    def dump(self, obj: Any) -> bytes:
        return b"%d" % obj


class _Truth(Dumper):
    """True or false."""

    def dump(self, obj: Any) -> bytes:
        return b"t" if obj else b"f"


class _Decimal(DecimalDumper):
    """A decimal number."""

    oid = 0


class _Moment(Dumper):
    """A date with a time and its offset."""

    def dump(self, obj: Any) -> bytes:
        return str(obj).encode()


class _Date(DateDumper):
    """A date."""

    oid = 0
