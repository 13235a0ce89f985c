"""The cells of a table and their values: texts, numbers, dates, yes and no."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec

from importer.package.tokens import is_token
from importer.package.translation import gettext as _
from importer.package.wire_values import short
from importer.tables.errors import CellError

# Excel shows this number of digits; those after it are the noise of binary fractions.
_DIGITS = 15
_LONGEST_NUMBER = 60
_CURRENCY = (
    r"(?:[\u20a0-\u20cf$£¥¢]|EUR|EURO|USD|US\$|GBP|CHF|SFR|FR\.|RUB|RUR|РУБ\.?|\u0420\.|"
    r"PLN|ZŁ|SEK|NOK|DKK|KR\.?|CZK|KČ|UAH|ГРН\.?)"
)
_BEFORE = re.compile(rf"^([-+]?)\s*{_CURRENCY}\s*(?=[-+(\d.,])", re.IGNORECASE)
_AFTER = re.compile(rf"(?<=[\d)\-\u2013\u2014.,])\s*{_CURRENCY}$", re.IGNORECASE)
_SPACES = "\u0020\u00a0\u2009\u202f"
_MARKS = {
    ",": rf"(?:[.'\u2019{_SPACES}])",
    ".": rf"(?:[,'\u2019{_SPACES}])",
}
_NUMBERS = {
    mark: re.compile(
        rf"(?P<whole>\d{{1,3}}(?:(?P<group>{groups})\d{{3}})(?:(?P=group)\d{{3}})*|\d*)"
        rf"(?:{re.escape(mark)}(?P<part>\d+|[-\u2013\u2014]{{1,2}}))?"
    )
    for mark, groups in _MARKS.items()
}
_YES = frozenset(
    ("yes", "y", "true", "1", "x", "on", "ja", "j", "wahr", "да", "истина", "✓", "✔")
)
_NO = frozenset(
    ("no", "n", "false", "0", "off", "nein", "falsch", "нет", "ложь", "-", "\u2013")
)
_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001 - days of a spreadsheet have no zone
_LAST_DAY = 2958465
_PARTS = {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?P<year>\d{2})",
    "MM": r"(?P<month>\d{1,2})",
    "DD": r"(?P<day>\d{1,2})",
}
_TIME = (
    r"(?:[T\s]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"(?P<offset>Z|[+-]\d{2}:\d{2})?)?"
)
# Two digits of a year are of this century below this number, as in Excel.
_PIVOT = 30
ISO = "YYYY-MM-DD"


class ErrorCell(msgspec.Struct, frozen=True):
    """A cell whose formula has failed, such as ``#N/A``."""

    text: str


Cell = str | int | float | Decimal | bool | date | time | ErrorCell | None


class CellFormat(msgspec.Struct, frozen=True):
    """How the texts of a table are to be read; times are in the time zone."""

    decimal: str = "."
    date_format: str = ISO
    zone: tzinfo = UTC


def is_empty(cell: Cell) -> bool:
    """Return whether a cell has nothing but white space."""
    return cell is None or (type(cell) is str and (not cell or cell.isspace()))


def as_text(cell: Cell) -> str:
    """Return a cell as a text, without the spaces around it."""
    if type(cell) is str:
        return cell.strip()
    if isinstance(cell, ErrorCell):
        message = _("the cell has the error %(error)s")
        raise CellError(message % {"error": cell.text})
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime):
        day = cell.date().isoformat()
        return day if cell.time() == time() else f"{day} {cell.time().isoformat()}"
    if isinstance(cell, (date, time)):
        return cell.isoformat()
    return plain(_exact(cell))


def plain(number: Decimal | int) -> str:
    """Return a number in digits, without an exponent and without needless zeros."""
    text = format(number, "f") if isinstance(number, Decimal) else str(number)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _exact(cell: Any) -> Decimal | int:
    """Return a number of a spreadsheet as Excel shows it: 0.1 + 0.2 is 0.3."""
    if isinstance(cell, float):
        cell = Decimal(f"{cell:.{_DIGITS}g}")
        if not cell.is_finite():
            raise CellError(_("the cell isn't a number"))
    return cell  # type: ignore[no-any-return]


def decimal_value(cell: Cell, how: CellFormat) -> Decimal | int:
    """Return a number; raise CellError for a text that isn't one."""
    if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool):
        return _shortest(plain(_exact(cell)))
    text = as_text(cell)
    found = None if isinstance(cell, (bool, date, time)) else read_number(text, how)
    if found is None:
        raise CellError(_("%(value)s is not a number") % {"value": short(text)})
    return found


def integer_value(cell: Cell, how: CellFormat) -> Decimal | int:
    """Return a whole number; raise CellError for another one, and for a text."""
    found = decimal_value(cell, how)
    if not isinstance(found, int):
        value = {"value": short(as_text(cell))}
        raise CellError(_("%(value)s is not a whole number") % value)
    return found


def read_number(text: str, how: CellFormat) -> Decimal | int | None:
    """Return the number in a text, None if it isn't one.

    Signs of currencies, thousands marks, ``12,-``, ``(12.50)`` and ``12.50-`` are
    understood. A mark in the wrong place makes a text no number: it would be read
    wrongly with the other decimal mark.
    """
    if len(text) > _LONGEST_NUMBER:
        return None
    text = _AFTER.sub("", _BEFORE.sub(r"\1", text.strip(), count=1)).strip()
    sign = ""
    if text[:1] == "(" and text[-1:] == ")":
        sign, text = "-", text[1:-1].strip()
    elif text[:1] in ("-", "+", "\u2212"):
        sign, text = "" if text[0] == "+" else "-", text[1:].strip()
    elif text[-1:] == "-" and text[-2:-1].isdigit():
        sign, text = "-", text[:-1]
    found = _NUMBERS[how.decimal].fullmatch(text)
    if found is None or not _ascii_digits(text):
        return None
    whole = re.sub(r"\D", "", found["whole"])
    part = found["part"] or ""
    part = part if part.isdigit() else ""
    if not whole and not part:
        return None
    return _shortest(plain(Decimal(f"{sign}{whole or 0}.{part or 0}")))


def _ascii_digits(text: str) -> bool:
    return all(char.isascii() for char in text if char.isdigit())


def _shortest(text: str) -> Decimal | int:
    if text in ("-0", "0"):
        return 0
    return Decimal(text) if "." in text else int(text)


def boolean_value(cell: Cell, how: CellFormat) -> bool:
    """Return whether a cell says yes; raise CellError if it says neither yes nor no."""
    if isinstance(cell, bool):
        return cell
    word = as_text(cell).casefold()
    if word in _YES or word in _NO:
        return word in _YES
    value = {"value": short(as_text(cell))}
    raise CellError(_("%(value)s is neither yes nor no") % value)


def says_yes_or_no(text: str) -> bool:
    """Return whether a text is a usual word for yes or no."""
    return text.strip().casefold() in _YES | _NO


def date_value(cell: Cell, how: CellFormat) -> str:
    """Return a date as in packages; raise CellError for a text that isn't one."""
    moment = moment_of(cell, how)
    return moment if isinstance(moment, str) else moment.date().isoformat()


def date_time_value(cell: Cell, how: CellFormat) -> str:
    """Return a date, with its time and offset if it has a time."""
    moment = moment_of(cell, how)
    if isinstance(moment, str):
        return moment
    if moment.tzinfo is not None:
        return moment.isoformat()
    if moment.time() == time():
        return moment.date().isoformat()
    return moment.replace(tzinfo=how.zone).isoformat()


def moment_of(cell: Cell, how: CellFormat) -> datetime | str:
    """Return the moment of a cell, or its text if that is a token; raise CellError for
    a text that is no date."""
    if isinstance(cell, bool):
        cell = as_text(cell)
    if isinstance(cell, datetime):
        # Excel stores fractions of days: 14:29:59.999999 means half past two.
        return (cell + timedelta(milliseconds=500)).replace(microsecond=0)
    if isinstance(cell, date):
        return datetime.combine(cell, time())
    if isinstance(cell, (int, float)) and 1 <= cell <= _LAST_DAY:
        days, part = divmod(cell, 1)
        return _FIRST_DAY + timedelta(days=days, seconds=round(part * 86400))
    text = as_text(cell)
    if is_token(text):
        return text
    found = read_date(text, how.date_format) or read_date(text, ISO)
    if found is None:
        words = {"value": short(text), "format": how.date_format}
        raise CellError(_("%(value)s is not a date of the form %(format)s") % words)
    return found


def read_date(text: str, date_format: str) -> datetime | None:
    """Return the date in a text, None if it isn't one of the format."""
    found = date_pattern(date_format).fullmatch(text.strip())
    if found is None or not text.isascii():
        return None
    parts = found.groupdict()
    offset = parts.pop("offset")
    given: dict[str, Any] = {name: int(part) for name, part in parts.items() if part}
    if len(found["year"]) == len("YY"):
        given["year"] += 2000 if given["year"] < _PIVOT else 1900
    try:
        moment = datetime(**given)  # noqa: DTZ001 - a date of a list
        zone = datetime.fromisoformat(f"2000-01-01T00:00{offset}") if offset else None
    except ValueError:
        return None
    return moment.replace(tzinfo=zone.tzinfo) if zone else moment


def is_date_format(text: str) -> bool:
    """Return whether a text is a form of dates."""
    try:
        date_pattern(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=64)
def date_pattern(date_format: str) -> re.Pattern[str]:
    """Return the pattern of a format made of ``YYYY`` or ``YY``, ``MM`` and ``DD``.

    Raise ValueError for a format without one of them, or with other letters.
    """
    parts = re.findall(r"[A-Za-z]+|[^A-Za-z]+", date_format)
    letters = sorted(part[:1] for part in parts if part in _PARTS)
    others = [part for part in parts if part not in _PARTS]
    if letters != ["D", "M", "Y"] or any(part[:1].isalnum() for part in others):
        raise ValueError(date_format)
    return re.compile("".join(_PARTS.get(p) or re.escape(p) for p in parts) + _TIME)


Convert = Callable[[Cell, CellFormat], Any]
