"""Dates that nobody takes for the month before the day, and a clock of 24 hours: Django's
English is that of one country, and calls 00:00 “midnight”."""

from __future__ import annotations

from typing import Final

DATE_FORMAT: Final = "j M Y"
DATETIME_FORMAT: Final = "j M Y, H:i"
TIME_FORMAT: Final = "H:i"
# They are short enough, and one page needs one way to write a date.
SHORT_DATE_FORMAT: Final = DATE_FORMAT
SHORT_DATETIME_FORMAT: Final = DATETIME_FORMAT
MONTH_DAY_FORMAT: Final = "j F"
FIRST_DAY_OF_WEEK: Final = 1
