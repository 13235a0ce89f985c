"""Who follows the changes from one position to the next reads each of them once, in
order, whatever the order of commits."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction

from platform_site.accounts.seeding import DEFAULT_ADMIN_PASSWORD
from platform_site.changes import feed
from tests.changes.feed_readers import Reader, Writer, an_event
from tests.drill import times
from tests.site.api.callers import with_token
from tests.two_connections import LIMIT_SECONDS, Elsewhere

pytestmark = pytest.mark.django_db(transaction=True)
_WRITERS = 8


@pytest.fixture
def reader():
    return Reader(with_token("admin", DEFAULT_ADMIN_PASSWORD), limit=20)


class Slow:
    """A transaction that has written an event, and commits when it is told to."""

    def __init__(self):
        self._written, self._commit = threading.Event(), threading.Event()
        self._writer = Elsewhere(self._write)
        assert self._written.wait(LIMIT_SECONDS)

    def _write(self):
        with transaction.atomic():
            drawn = an_event("slow")
            self._written.set()
            assert self._commit.wait(LIMIT_SECONDS)
        return drawn

    def commit(self):
        self._commit.set()
        return self._writer.end()


@pytest.fixture
def slow():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time.")
    return Slow


def test_a_slow_transaction_delays_later_events_and_loses_none(reader, slow):
    first = an_event("before")
    writer = slow()
    fast = an_event("fast")
    assert reader.poll() == [first]
    assert reader.poll() == []
    late = writer.commit()
    assert late < fast
    assert reader.poll() == [late, fast]


def test_without_the_announcements_the_slow_event_would_be_missed(
    reader, slow, monkeypatch
):
    monkeypatch.setattr(feed, "_last_certain", lambda: feed._LARGEST)
    writer = slow()
    fast = an_event("fast")
    assert reader.poll() == [fast]
    writer.commit()
    assert reader.poll() == []


def test_a_transaction_that_is_rolled_back_delays_nobody(reader):
    with transaction.atomic():
        an_event("never")
        transaction.set_rollback(True)
    assert reader.poll() == []
    assert [an_event("kept")] == reader.poll()


def test_one_transaction_takes_one_lock(slow):
    """Thousands of locks would be more than the server has room for."""
    with transaction.atomic():
        for _each in range(3):
            an_event()
            with transaction.atomic():
                an_event()
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() "
                "AND locktype = 'advisory'"
            )
            assert cursor.fetchone() == (1,)


def test_of_many_writers_every_event_is_read_once_and_in_order(reader):
    writers = [Writer(seed, times(25, 400)) for seed in range(_WRITERS)]
    while any(writer.is_alive() for writer in writers):
        reader.poll()
    reader.poll()
    committed = sorted(event for each in writers for event in each.committed)
    assert len(committed) > _WRITERS
    assert reader.ids == committed
