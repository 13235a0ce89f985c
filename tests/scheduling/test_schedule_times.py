"""When a job is due: pure, over every change of the clocks there is."""

from __future__ import annotations

import datetime as dt
import itertools
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st

from platform_site.scheduling.schedule_times import (
    Cron,
    Interval,
    ScheduleError,
    checked_cron,
    upcoming,
)
from tests.drill import effort

BERLIN = ZoneInfo("Europe/Berlin")
MINUTE = dt.timedelta(minutes=1)


def utc(*parts):
    return dt.datetime(*parts, tzinfo=dt.UTC)


def walls(expression, zone, start, count):
    """Return the next times as the wall clock shows them, with its offset."""
    times = upcoming(Cron(expression, zone), start, count)
    return [time.astimezone(zone).strftime("%d %H:%M %z") for time in times]


def test_a_cron_expression_is_read_in_the_zone_of_the_job():
    moment = Cron("0 2 * * *", ZoneInfo("Asia/Tokyo")).next_after(utc(2026, 1, 1))
    assert moment == utc(2026, 1, 1, 17)


def test_next_times_are_later_than_the_given_instant():
    cron = Cron("0 2 * * *", ZoneInfo("UTC"))
    assert cron.next_after(utc(2026, 1, 1, 2)) == utc(2026, 1, 2, 2)
    just_before = utc(2026, 1, 1, 2) - dt.timedelta(microseconds=1)
    assert cron.next_after(just_before) == utc(2026, 1, 1, 2)


def test_sunday_is_0_and_7_and_its_name():
    sunday = utc(2026, 1, 4)
    for day in ("0", "7", "sun", "SUN"):
        assert (
            Cron(f"0 0 * * {day}", ZoneInfo("UTC")).next_after(utc(2026, 1, 1))
            == sunday
        )


SPRING, AUTUMN = utc(2026, 3, 28, 23, 45), utc(2026, 10, 24, 22, 45)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("30 2 * * *", ["29 03:30 +0200", "30 02:30 +0200"]),
        ("30 1 * * *", ["29 01:30 +0100", "30 01:30 +0200"]),
        ("30 * * * *", ["29 01:30 +0100", "29 03:30 +0200", "29 04:30 +0200"]),
        ("*/30 2,3 * * *", ["29 03:00 +0200", "29 03:30 +0200", "30 02:00 +0200"]),
    ],
)
def test_in_spring_a_time_that_does_not_exist_comes_an_hour_later(expression, expected):
    assert walls(expression, BERLIN, SPRING, len(expected)) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("30 2 * * *", ["25 02:30 +0200", "26 02:30 +0100"]),
        ("*/30 2 * * *", ["25 02:00 +0200", "25 02:30 +0200", "26 02:00 +0100"]),
        (
            "30 * * * *",
            ["25 01:30 +0200", "25 02:30 +0200", "25 02:30 +0100", "25 03:30 +0100"],
        ),
    ],
)
def test_in_autumn_only_an_hour_left_open_comes_twice(expression, expected):
    assert walls(expression, BERLIN, AUTUMN, len(expected)) == expected


def test_an_interval_counts_real_time_over_a_change_of_the_clocks():
    every_12_hours = Interval(12 * 3600, since=utc(2026, 3, 28, 11))
    times = upcoming(every_12_hours, utc(2026, 3, 28, 12), 2)
    hours = [time.astimezone(BERLIN).hour for time in times]
    assert hours == [0, 13]


def test_an_interval_begins_one_step_after_its_beginning_and_keeps_its_grid():
    interval = Interval(600, since=utc(2026, 1, 1, 12))
    assert interval.next_after(utc(2026, 1, 1, 11)) == utc(2026, 1, 1, 12, 10)
    assert interval.next_after(utc(2026, 1, 1, 12)) == utc(2026, 1, 1, 12, 10)
    assert interval.next_after(utc(2026, 1, 1, 12, 10)) == utc(2026, 1, 1, 12, 20)
    assert interval.next_after(utc(2026, 1, 1, 12, 19, 59)) == utc(2026, 1, 1, 12, 20)


def all_times(minute, hour, zone, start, end):
    """Find the times the slow way: try every minute that exists or doesn't."""
    minutes, hours, open_hour = set(MINUTES[minute]), set(HOURS[hour]), "*" in hour
    found = set()
    wall = start.astimezone(zone).replace(tzinfo=None) - dt.timedelta(days=1)
    while wall < end.astimezone(zone).replace(tzinfo=None) + dt.timedelta(days=1):
        if wall.minute in minutes and wall.hour in hours:
            first = wall.replace(tzinfo=zone).astimezone(dt.UTC)
            second = wall.replace(tzinfo=zone, fold=1).astimezone(dt.UTC)
            found |= {first, second} if open_hour and second > first else {first}
        wall += MINUTE
    return sorted(moment for moment in found if start < moment <= end)


CHANGES = [
    ("Europe/Berlin", utc(2026, 3, 29, 1)),
    ("Europe/Berlin", utc(2026, 10, 25, 1)),
    ("America/New_York", utc(2026, 11, 1, 6)),
    ("Australia/Lord_Howe", utc(2026, 10, 3, 15, 30)),
    ("Australia/Lord_Howe", utc(2026, 4, 4, 15)),
    ("Pacific/Apia", utc(2011, 12, 30, 10)),
    ("Asia/Tokyo", utc(2026, 3, 29, 1)),
]
HOURS = {
    "*": range(24),
    "*/2": range(0, 24, 2),
    "*/5": range(0, 24, 5),
    "2": [2],
    "0-3": range(4),
    "1,2,3": [1, 2, 3],
    "22": [22],
}
MINUTES = {
    "0": [0],
    "30": [30],
    "*/20": [0, 20, 40],
    "10,35": [10, 35],
    "59": [59],
    "5-50/15": [5, 20, 35, 50],
}


@effort(40)
@given(st.sampled_from(CHANGES), st.sampled_from([*HOURS]), st.sampled_from([*MINUTES]))
def test_no_time_is_lost_or_doubled_when_the_clocks_change(change, hour, minute):
    name, instant = change
    zone, expression = ZoneInfo(name), f"{minute} {hour} * * *"
    start, end = instant - dt.timedelta(hours=14), instant + dt.timedelta(hours=14)
    cron, moment = Cron(expression, zone), start
    found = []
    while (moment := cron.next_after(moment)) <= end:
        found.append(moment)
    assert found == all_times(minute, hour, zone, start, end)
    # Where the search begins must not matter.
    for before, after in itertools.pairwise([start, *found]):
        assert cron.next_after(before + (after - before) / 2) == after


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("* * * *", "five parts"),
        ("@daily", "five parts"),
        ("0 0 * * * *", "five parts"),
        ("60 * * * *", "“60” isn't a valid minute"),
        ("0 24 * * *", "“24” isn't a valid hour"),
        ("0 0 0 * *", "“0” isn't a valid day of the month: use numbers from 1 to 31,"),
        ("0 0 L * *", "“L” isn't a valid day of the month"),
        ("0 0 * 13 *", "“13” isn't a valid month"),
        ("0 0 * * 8", "“8” isn't a valid day of the week: use numbers from 0 to 7,"),
        ("0 0 * * mon#1", "“mon#1” isn't a valid day of the week"),
        ("*/0 * * * *", "“*/0” isn't a valid minute"),
        ("H * * * *", "“H” isn't a valid minute"),
        ("٣ * * * *", "isn't a valid minute"),
        ("0 0 30 2 *", "never matches an existing date"),
    ],
)
def test_what_is_no_schedule_is_refused_with_a_sentence(expression, sentence):
    with pytest.raises(ScheduleError, match=sentence.replace("*", r"\*")):
        checked_cron(expression)


@pytest.mark.parametrize(
    "expression",
    ["*/10 * * * *", "0 2 1,15 * mon-fri", "5-50/15 8-17 * jan-mar 1", "0 0 29 2 *"],
)
def test_what_is_a_schedule_is_kept(expression):
    assert checked_cron(f"  {expression.replace(' ', '   ')} ") == expression


@given(st.text(alphabet="0123456789*/,- abcdefLW#?@", max_size=30))
def test_no_text_whatever_breaks_the_check(text):
    try:
        tidy = checked_cron(text)
    except ScheduleError:
        return
    assert Cron(tidy, BERLIN).next_after(utc(2026, 1, 1)) > utc(2026, 1, 1)
