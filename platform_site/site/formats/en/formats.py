"""Unambiguous dates and a 24-hour clock: Django's English formats are those of one
country and write 00:00 as “midnight”."""

from __future__ import annotations

from typing import Final

DATE_FORMAT: Final = "j M Y"
DATETIME_FORMAT: Final = "j M Y, H:i"
TIME_FORMAT: Final = "H:i"
# They are short enough, and a page should use one format.
SHORT_DATE_FORMAT: Final = DATE_FORMAT
SHORT_DATETIME_FORMAT: Final = DATETIME_FORMAT
MONTH_DAY_FORMAT: Final = "j F"
FIRST_DAY_OF_WEEK: Final = 1
