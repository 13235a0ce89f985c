"""Schedules as people say them."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from platform_site.scheduling.labels import (
    cron_in_words,
    interval_in_words,
    time_in_words,
)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("0 2 * * *", "every night at 02:00"),
        ("0,30 6,18 * * 1-5", "from Monday to Friday at 06:00, 06:30, 18:00 and 18:30"),
        ("* * * * *", "every minute"),
        ("*/10 * * * *", "every 10 minutes"),
        ("15 * * * *", "at minute 15 of every hour"),
        ("*/5 8-17 * * *", "at minute */5 of hour 8-17, every day"),
        ("* 8 * * *", "every minute of hour 8, every day"),
        ("0 0 1,15 * *", "on day 1 and 15 of each month at 00:00"),
        ("0 * * * *", "every hour"),
        ("30 6 * * *", "every day at 06:30"),
        ("30 6 * * 1,4", "every Monday and Thursday at 06:30"),
        ("0 20 * * sun", "every Sunday at 20:00"),
        ("0 20 * * 7", "every Sunday at 20:00"),
        ("0 4 1 * *", "on the first of each month at 04:00"),
        ("0 0 * * mon-fri", "at 00:00, on Monday to Friday"),
        ("0 0 * jan,7 sun", "at 00:00, on Sunday, in January, July"),
        ("0 0 1 * 7", "at 00:00, on day 1 of the month or on Sunday"),
        ("0 0 */2 * *", "at 00:00, on day */2 of the month"),
        ("nonsense", "nonsense"),
        ("0 0 * * nonday", "0 0 * * nonday"),
    ],
)
def test_a_cron_expression_in_words(expression, words):
    assert cron_in_words(expression) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "every second"),
        (90, "every 90 seconds"),
        (60, "every minute"),
        (600, "every 10 minutes"),
        (3600, "every hour"),
        (7200, "every 2 hours"),
        (86_400, "every day"),
        (172_800, "every 2 days"),
    ],
)
def test_an_interval_in_words(seconds, words):
    assert interval_in_words(seconds) == words


def test_a_time_is_shown_in_its_zone():
    time = dt.datetime(2026, 10, 25, 0, 30, tzinfo=dt.UTC)
    shown = time_in_words(time, ZoneInfo("Europe/Berlin"))
    assert shown == "Sun, 25 Oct 2026, 02:30:00 CEST"
