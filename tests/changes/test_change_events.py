"""Change events: one statement each, exact values, and never rewritten."""

from __future__ import annotations

import datetime
import threading
from decimal import Decimal
from uuid import UUID

import pytest
from django.contrib.auth import get_user_model
from django.db import connection, transaction

from platform_site.changes.models import ChangeEvent, HistoryError
from platform_site.changes.services import ChangeOrigin, acting_as, record_change

pytestmark = pytest.mark.django_db
RUN = UUID("00000000-0000-0000-0000-000000000001")


@pytest.fixture
def clerk():
    return get_user_model().objects.create_user("clerk", password="p")


def an_event(**given):
    return record_change(
        **{
            "action": ChangeEvent.Action.UPDATED,
            "model": "Items",
            "row_id": 7,
            "row": "A-1 Bolt",
            "changes": {"name": ["Bold", "Bolt"]},
            **given,
        }
    )


def test_an_event_names_who_when_why_and_which_run(clerk):
    with acting_as(clerk, ChangeOrigin.IMPORT, RUN):
        an_event()
    event = ChangeEvent.objects.get(model="Items")
    assert (event.user, event.user_name, event.origin) == (clerk, "clerk", "Import")
    assert (event.run_id, event.row_id, event.row) == (RUN, 7, "A-1 Bolt")
    assert event.changes == {"name": ["Bold", "Bolt"]}
    assert event.at.tzinfo is not None


def test_without_a_user_the_event_says_system():
    event = an_event()
    assert (event.user_id, event.user_name, event.origin) == (None, "", "System")


@pytest.mark.counts
def test_recording_costs_one_insert(clerk, django_assert_num_queries):
    with acting_as(clerk, ChangeOrigin.USER), django_assert_num_queries(1) as captured:
        an_event()
    assert captured.captured_queries[0]["sql"].startswith("INSERT")


def test_values_are_kept_exactly():
    moment = datetime.datetime(2026, 3, 1, 8, 0, 0, 123456, tzinfo=datetime.UTC)
    changes = {
        "price": [Decimal("10.5000"), Decimal("1E+3")],
        "date": [datetime.date(2026, 3, 1), moment],
        "file": [None, RUN],
        "lines": [[], [{"quantity": Decimal("2")}]],
    }
    event = an_event(changes=changes)
    event.refresh_from_db()
    assert event.changes == {
        "price": ["10.5000", "1000"],
        "date": ["2026-03-01", "2026-03-01T08:00:00.123456Z"],
        "file": [None, str(RUN)],
        "lines": [[], [{"quantity": "2"}]],
    }


def test_a_value_nobody_can_write_down_is_refused():
    with pytest.raises(TypeError), transaction.atomic():
        an_event(changes={"name": [None, object()]})


@pytest.mark.parametrize(
    "attempt",
    [
        pytest.param(lambda event: event.save(), id="save"),
        pytest.param(lambda event: event.delete(), id="delete"),
        pytest.param(lambda _: ChangeEvent.objects.update(row=""), id="update"),
        pytest.param(lambda _: ChangeEvent.objects.all().delete(), id="delete many"),
        pytest.param(
            lambda event: ChangeEvent.objects.bulk_update([event], ["row"]),
            id="bulk update",
        ),
        pytest.param(
            lambda _: ChangeEvent.objects.bulk_create([ChangeEvent(row="x")]),
            id="bulk create",
        ),
        pytest.param(
            lambda event: ChangeEvent.objects.update_or_create(
                pk=event.pk, defaults={"row": ""}
            ),
            id="update or create",
        ),
    ],
)
def test_the_history_cannot_be_rewritten(attempt):
    event = an_event()
    before = list(ChangeEvent.objects.values())
    event.row = "forged"
    with pytest.raises(HistoryError, match="permanent"):
        attempt(event)
    assert list(ChangeEvent.objects.values()) == before


def test_the_name_stays_when_the_user_is_deleted(clerk):
    with acting_as(clerk, ChangeOrigin.USER):
        an_event()
    clerk.delete()
    event = ChangeEvent.objects.get(model="Items")
    assert (event.user, event.user_name) == (None, "clerk")


def test_an_event_goes_with_the_transaction_it_was_written_in():
    before = ChangeEvent.objects.count()

    @transaction.atomic
    def work():
        an_event()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert ChangeEvent.objects.count() == before


def test_the_newest_event_comes_first():
    first, second = an_event(row="first"), an_event(row="second")
    assert list(ChangeEvent.objects.filter(model="Items")) == [second, first]


@pytest.mark.django_db(transaction=True)
def test_a_thread_that_says_nothing_writes_as_system(clerk):
    def work():
        try:
            an_event(row="from the thread")
        finally:
            connection.close()

    with acting_as(clerk, ChangeOrigin.IMPORT, RUN):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    event = ChangeEvent.objects.get(row="from the thread")
    assert (event.user, event.origin, event.run_id) == (None, "System", None)
