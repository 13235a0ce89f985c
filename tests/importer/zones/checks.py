"""The values of ``$now``, ``$today`` and written dates; run by ``test_tokens``."""

from __future__ import annotations

import io
from contextlib import contextmanager
from datetime import UTC, date, datetime
from unittest import mock

from django.contrib.auth import get_user_model
from django.test import TestCase
from django.utils import timezone

from importer import services
from importer.services import ImportOptions, import_package
from tests.importer_alone.checks import authors, book, package
from tests.importer_alone.library.models import Book

NOON = datetime(2026, 7, 1, 12, 0, 30, 5000, tzinfo=UTC)


@contextmanager
def at(instant):
    """Let runs begin at an instant."""
    with mock.patch.object(timezone, "now", return_value=instant):
        yield


class ZoneTests(TestCase):
    def run_books(self, *books, **options):
        user = get_user_model().objects.get_or_create(
            username="librarian", is_superuser=True
        )[0]
        shelf = {"dictionary": "Books", "items": list(books)}
        source = io.BytesIO(package(authors("ada"), shelf))
        return import_package(source, ImportOptions(**options), user=user)

    def stored(self, instant, zone, **values):
        """Return the row of a book imported at an instant in a zone."""
        with at(instant):
            report = self.run_books(
                book("1", {"$ref": "a:ada"}, **values), time_zone=zone
            )
        assert not report.has_errors, report.diagnostics or list(report.items)
        return Book.objects.get()

    def message(self, **values):
        report = self.run_books(book("1", {"$ref": "a:ada"}, **values))
        assert report.has_errors
        return list(report.items)[-1].message

    def test_today_is_the_date_of_the_zone(self):
        midnights = {
            "Pacific/Kiritimati": (date(2026, 7, 2), "2026-07-01T10:00:00+00:00"),
            "Asia/Tokyo": (date(2026, 7, 1), "2026-06-30T15:00:00+00:00"),
            "UTC": (date(2026, 7, 1), "2026-07-01T00:00:00+00:00"),
            "Pacific/Niue": (date(2026, 7, 1), "2026-07-01T11:00:00+00:00"),
        }
        for zone, (day, midnight) in midnights.items():
            with self.subTest(zone):
                Book.objects.all().delete()
                row = self.stored(NOON, zone, published="$today", arrived="$today")
                assert row.published == day
                assert row.arrived.isoformat() == midnight

    def test_now_is_the_instant_in_a_date_time_and_the_local_date_in_a_date(self):
        row = self.stored(NOON, "Pacific/Kiritimati", published="$now", arrived="$now")
        assert row.arrived == NOON
        assert row.published == date(2026, 7, 2)

    def test_days_are_counted_from_the_local_date(self):
        row = self.stored(
            NOON, "Europe/Berlin", published="$today+3d", arrived="$today-5d"
        )
        assert row.published == date(2026, 7, 4)
        assert row.arrived == datetime(2026, 6, 25, 22, tzinfo=UTC)

    def test_days_are_counted_across_daylight_saving_changes(self):
        # In Berlin the clocks go forward on 29 March 2026.
        before = datetime(2026, 3, 28, 12, tzinfo=UTC)
        row = self.stored(before, "Europe/Berlin", arrived="$today+2d")
        assert row.arrived == datetime(2026, 3, 29, 22, tzinfo=UTC)

    def test_a_missing_midnight_is_read_with_the_previous_offset(self):
        # In Beirut the clocks went from midnight to one o'clock on 29 March 2026.
        row = self.stored(
            datetime(2026, 3, 29, 12, tzinfo=UTC), "Asia/Beirut", arrived="$today"
        )
        assert row.arrived == datetime(2026, 3, 28, 22, tzinfo=UTC)

    def test_the_maximum_number_of_days_works_in_both_directions(self):
        row = self.stored(
            NOON, "UTC", published="$today-99999d", arrived="$today+99999d"
        )
        assert row.published == date(1752, 9, 16)
        assert row.arrived == datetime(2300, 4, 15, tzinfo=UTC)

    def test_tokens_are_hashed_as_written(self):
        values = {"published": "$today-5d", "arrived": "$now"}
        first = self.stored(NOON, "UTC", **values)
        with at(datetime(2026, 7, 9, tzinfo=UTC)):
            report = self.run_books(
                book("1", {"$ref": "a:ada"}, **values), time_zone="Asia/Tokyo"
            )
        assert report.counts["Unchanged"] == 2
        again = Book.objects.get()
        assert (again.published, again.arrived) == (first.published, first.arrived)

    def test_a_written_time_needs_an_offset(self):
        row = self.stored(NOON, "UTC", arrived="2026-01-02T03:04:05+02:00")
        assert row.arrived == datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC)
        Book.objects.all().delete()
        assert self.message(arrived="2026-01-02T03:04:05").startswith(
            "steps[1].items[0].arrived: "
        )

    def test_a_bare_date_is_midnight_in_the_zone_of_the_run(self):
        row = self.stored(NOON, "Europe/Berlin", arrived="2026-07-01")
        assert row.arrived == datetime(2026, 6, 30, 22, tzinfo=UTC)

    def test_dates_that_do_not_exist_are_refused_at_their_place(self):
        for name, value in (
            ("published", "2026-02-30"),
            ("published", "01.02.2026"),
            ("published", "2026-01-02T00:00:00Z"),
            ("published", "0000-01-01"),
            ("published", "10000-01-01"),
            ("published", ""),
            ("arrived", "2026-02-30T00:00:00Z"),
            ("arrived", "2026-01-01T25:00:00Z"),
            ("arrived", "0001-01-01T00:00:00+14:00"),
            ("arrived", "9999-12-31T23:00:00-14:00"),
            ("arrived", "today"),
        ):
            with self.subTest(value):
                path = f"steps[1].items[0].{name}: "
                assert self.message(**{name: value}).startswith(path)
                assert not Book.objects.exists()

    def test_other_texts_with_a_dollar_are_refused_before_any_write(self):
        for value in (
            "$today-5",
            "$today+d",
            "$today+100000d",
            "$today +1d",
            "$TODAY",
            "$now+1d",
            "$today+1D",
            "$today\n",
            "$today+\uff11d",
            " $today",
        ):
            with self.subTest(value):
                message = self.message(published=value)
                assert message.startswith("steps[1].items[0].published: ")
                assert not Book.objects.exists()

    def test_an_unknown_zone_is_refused(self):
        with self.assertRaisesMessage(services.UnknownTimeZone, "Mars/Base"):
            self.run_books(time_zone="Mars/Base")
