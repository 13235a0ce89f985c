"""The JSON encoding of change events, in the format of the API: exact decimals and
complete times as text."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.utils.functional import Promise


class ChangeEncoder(json.JSONEncoder):
    """A JSON encoder that writes the values of business rows without rounding."""

    def default(self, o: Any) -> Any:
        """Return the text of a value JSON has no type for."""
        if isinstance(o, Decimal):
            return format(o, "f")
        if isinstance(o, datetime.datetime):
            return _moment(o)
        if isinstance(o, datetime.date | datetime.time):
            return o.isoformat()
        if isinstance(o, UUID | Promise):
            return str(o)
        return super().default(o)


def _moment(value: datetime.datetime) -> str:
    # Django's own encoder drops microseconds and thus small differences.
    return value.isoformat().removesuffix("+00:00") + (
        "Z" if value.utcoffset() == datetime.timedelta(0) else ""
    )
