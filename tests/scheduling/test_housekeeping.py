"""Chores are done while the site is served: at its start, and every hour from then on,
by the one process that keeps the jobs."""

from __future__ import annotations

import pytest

from platform_site import housekeeping
from platform_site.accounts.cleaning import forget_old_sign_ins

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def done(monkeypatch):
    """Return what a chore has written down, which takes the place of all others."""
    written = []
    monkeypatch.setattr(housekeeping, "_chores", [lambda: written.append("done")])
    return written


def test_chores_are_done_at_the_start_and_every_hour(scheduler, clock, done):
    for minutes in (0, 30, 29, 2, 30, 31):
        clock.move(minutes=minutes)
        scheduler._polled()
    assert len(done) == 3


def test_a_clock_that_was_ahead_does_not_put_them_off(scheduler, clock, done):
    clock.move(days=365)
    scheduler._polled()
    clock.move(days=-365)
    scheduler._polled()
    assert len(done) == 2


def test_who_does_not_keep_the_jobs_does_no_chores(scheduler, done, monkeypatch):
    monkeypatch.setattr(scheduler._lock, "take", lambda: False)
    scheduler._polled()
    assert done == []


def test_a_chore_that_fails_keeps_none_from_the_others(done, caplog):
    def fails():
        raise RuntimeError("no")

    housekeeping._chores.insert(0, fails)
    housekeeping.do_chores()
    assert done == ["done"]
    assert "failed" in caplog.text


def test_what_signing_in_leaves_is_one_of_them():
    assert forget_old_sign_ins in housekeeping._chores
