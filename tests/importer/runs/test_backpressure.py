"""A run gives way to the requests that its process is answering."""

from __future__ import annotations

import threading

import pytest

from importer import backpressure
from importer.backpressure import BackpressureMiddleware, yield_to_requests
from tests.builders import units
from tests.importer.background import finish_runs

OBJECTS = 30


@pytest.fixture
def rests(monkeypatch):
    """Count how often somebody rests, and let nobody do so."""
    counted = []
    monkeypatch.setattr(
        backpressure, "time", type("Clock", (), {"sleep": counted.append})
    )
    return counted


def beside(request):
    """Give way in a thread of its own, as a run does."""
    thread = threading.Thread(target=yield_to_requests)
    thread.start()
    thread.join()


def test_nobody_rests_where_nothing_is_asked(rests):
    BackpressureMiddleware(lambda request: None)(None)
    beside(None)
    assert rests == []


def test_a_request_is_given_way_to_until_it_is_answered(rests):
    BackpressureMiddleware(beside)(None)
    assert len(rests) == 1
    beside(None)
    assert len(rests) == 1


def test_a_run_that_a_request_carries_out_does_not_wait_for_it(rests):
    BackpressureMiddleware(lambda request: yield_to_requests())(None)
    assert rests == []


def test_a_request_that_breaks_off_is_answered_too(rests):
    def broken(request):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        BackpressureMiddleware(broken)(None)
    beside(None)
    assert rests == []


@pytest.mark.django_db(transaction=True)
def test_a_run_rests_before_each_object_it_writes(start, rests):
    package = units(*(f"u{number}" for number in range(OBJECTS)))

    def asked_meanwhile(request):
        start(package)
        finish_runs()

    BackpressureMiddleware(asked_meanwhile)(None)
    written = len(rests)
    assert written >= OBJECTS
    assert max(rests) < 1, "an import must not stand still either"
    start(package)
    finish_runs()
    assert len(rests) == written


def test_the_product_counts_its_requests(settings):
    assert "importer.backpressure.BackpressureMiddleware" in settings.MIDDLEWARE
