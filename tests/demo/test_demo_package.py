"""The demo company itself: it goes in on any day of any calendar, and stays as it is."""

from __future__ import annotations

import datetime
import time
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from importer.services import ImportOptions, embedded_package, import_package
from platform_site.accounts.models import User

pytestmark = pytest.mark.django_db

MOMENTS = {
    "a leap day": ("2028-02-29 12:00", "UTC"),
    "the last minute of a year": ("2027-12-31 23:59", "Asia/Tokyo"),
    "the first day of a month after a short one": ("2027-03-01 00:00", "UTC"),
    "the day the clocks go forward": ("2027-03-28 01:30", "Europe/Berlin"),
    "the day the clocks go back": ("2027-10-31 02:30", "Europe/Berlin"),
    "soon after a day without a midnight": ("2027-09-20 08:00", "America/Santiago"),
}


@pytest.fixture
def at(monkeypatch):
    """Return a function that sets the clock to a moment, from where it goes on."""

    def set_clock(text, zone):
        local = datetime.datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))
        begin, moment = time.monotonic(), local.astimezone(datetime.UTC)

        def now():
            return moment + datetime.timedelta(seconds=time.monotonic() - begin)

        monkeypatch.setattr(timezone, "now", now)

    return set_clock


def applied(zone):
    with embedded_package("demo-company").path.open("rb") as source:
        return import_package(
            source,
            ImportOptions(time_zone=zone),
            user=User.objects.get(username="admin"),
        )


def counted(report):
    assert [d.message for d in report.diagnostics] == []
    return {outcome: count for outcome, count in report.counts.items() if count}


@pytest.mark.parametrize(("moment", "zone"), MOMENTS.values(), ids=MOMENTS)
def test_the_demo_company_goes_in_on_any_day_and_only_once(at, moment, zone):
    at(moment, zone)
    first = counted(applied(zone))
    assert set(first) == {"Inserted"}
    assert counted(applied(zone)) == {"Unchanged": first["Inserted"]}
