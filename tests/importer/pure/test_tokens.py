"""The date tokens of a package: their spelling and their dates in all time zones."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st

from importer.package.tokens import Moment, is_token, token_date, token_datetime
from tests.drill import effort


def moment(text, zone):
    return Moment(datetime.fromisoformat(text), ZoneInfo(zone))


@pytest.mark.parametrize(
    "text", ["$now", "$today", "$today+1d", "$today-0d", "$today+99999d", "$today+007d"]
)
def test_these_are_tokens(text):
    """OPEN-26."""
    assert is_token(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "$",
        "$NOW",
        "$Today",
        "$now+1d",
        "$today-5",
        "$today+d",
        "$today 1d",
        "$today +1d",
        "$today+1D",
        "$today+100000d",
        "$today+-1d",
        "$today+1d ",
        " $today",
        "$today\n",
        "$today+\uff11d",
        "$today+1.5d",
        "$tomorrow",
        "$100",
    ],
)
def test_these_are_not_tokens(text):
    """OPEN-26."""
    assert not is_token(text)


@effort(200)
@given(days=st.integers(-99999, 99999))
def test_the_days_of_a_token_are_counted_from_the_local_date(days):
    at = moment("2024-03-01T22:30:00+00:00", "Asia/Tokyo")
    token = f"$today{days:+d}d"
    assert is_token(token)
    try:
        expected = date(2024, 3, 2) + timedelta(days=days)
    except OverflowError:
        with pytest.raises(OverflowError):
            token_date(token, at)
    else:
        assert token_date(token, at) == expected


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("UTC", "2024-03-01T00:00:00+00:00"),
        ("Africa/Johannesburg", "2024-03-01T22:00:00+00:00"),
        ("Asia/Tokyo", "2024-03-01T15:00:00+00:00"),
        ("America/New_York", "2024-03-01T05:00:00+00:00"),
    ],
)
def test_today_is_local_midnight(zone, expected):
    """OPEN-27."""
    at = moment("2024-03-01T23:30:00+00:00", zone)
    assert token_datetime("$today", at).isoformat() == expected


def test_now_is_the_instant_in_a_time_and_the_local_day_in_a_date():
    """OPEN-27."""
    at = moment("2024-03-01T23:30:00.123456+02:00", "Asia/Tokyo")
    assert token_datetime("$now", at) == datetime(2024, 3, 1, 21, 30, 0, 123456, UTC)
    assert token_datetime("$now", at).tzinfo is UTC
    assert token_date("$now", at) == date(2024, 3, 2)


def test_a_missing_midnight_is_read_with_the_previous_offset():
    # Clocks in Beirut went from 00:00 to 01:00 on 31 March 2024.
    at = moment("2024-03-31T12:00:00+00:00", "Asia/Beirut")
    assert token_datetime("$today", at).isoformat() == "2024-03-30T22:00:00+00:00"


def test_of_a_repeated_midnight_the_first_counts():
    # Clocks in Havana went from 01:00 back to 00:00 on 3 November 2024.
    at = moment("2024-11-03T12:00:00+00:00", "America/Havana")
    assert token_datetime("$today", at).isoformat() == "2024-11-03T04:00:00+00:00"
