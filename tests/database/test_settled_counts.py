"""Counts of the change history, whose events are counted once."""

from __future__ import annotations

import datetime

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from platform_site.changes.models import ChangeEvent
from platform_site.database import settled_counts
from platform_site.database.settled_counts import SettledCounts

LONG_AGO = timezone.now() - datetime.timedelta(days=1)


@pytest.fixture
def many(transactional_db, monkeypatch):
    """Make three events many; return how further ones are written."""
    monkeypatch.setattr(settled_counts, "_MANY", 3)
    monkeypatch.setattr(settled_counts, "_NEW", 2)
    counts = SettledCounts("at")
    monkeypatch.setattr("platform_site.changes.models._COUNTS", counts)

    def write(number, at=LONG_AGO, **about):
        for _ in range(number):
            event = ChangeEvent(
                action="created", origin="User", model="Items", row="A", at=at, **about
            )
            with transaction.atomic():
                event.save()

    write(3)
    return write


def counted(**about):
    """Return the number of events, and the statements that counted them."""
    with CaptureQueriesContext(connection) as made:
        number = ChangeEvent.objects.filter(**about).count()
    assert number == len(ChangeEvent.objects.filter(**about).values_list("pk"))
    return number, [one["sql"] for one in made]


def test_events_are_counted_once_and_then_only_newer_ones(many):
    first, _ = counted(model="Items")
    again, made = counted(model="Items")
    assert again == first
    assert len(made) == 1
    assert "Items" not in made[0]
    many(2)
    assert counted(model="Items")[0] == first + 2
    many(5, at=timezone.now())
    assert counted(model="Items")[0] == first + 7
    assert counted(model="Items")[0] == first + 7


def test_each_question_has_a_count_of_its_own(many):
    many(4, user_name="clerk")
    counted()
    many(1, user_name="boss")
    for about in ({}, {"user_name": "clerk"}, {"user_name": "boss"}):
        counted(**about)
        counted(**about)
    assert counted(user_name="clerk")[0] == 4
    assert counted(user_name="boss")[0] == 1


def test_events_that_are_rolled_back_are_not_kept(many):
    number, _ = counted()
    with transaction.atomic():
        many(1)
        assert ChangeEvent.objects.count() == number + 1
        transaction.set_rollback(True)
    assert counted()[0] == number
