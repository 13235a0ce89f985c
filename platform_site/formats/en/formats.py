"""Dates that nobody takes for the month before the day, and a clock of 24 hours: Django's
English is that of one country, and calls 00:00 “midnight”."""

from __future__ import annotations

from typing import Final

DATE_FORMAT: Final = "j M Y"
DATETIME_FORMAT: Final = "j M Y, H:i"
TIME_FORMAT: Final = "H:i"
SHORT_DATE_FORMAT: Final = "Y-m-d"
SHORT_DATETIME_FORMAT: Final = "Y-m-d H:i"
MONTH_DAY_FORMAT: Final = "j F"
FIRST_DAY_OF_WEEK: Final = 1
