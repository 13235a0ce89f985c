"""A run yields to the requests of its process."""

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
    """Count the waits, without waiting."""
    counted = []
    monkeypatch.setattr(
        backpressure, "time", type("Clock", (), {"sleep": counted.append})
    )
    return counted


def beside(request):
    """Yield in another thread, as a run does."""
    thread = threading.Thread(target=yield_to_requests)
    thread.start()
    thread.join()


def test_without_requests_a_run_does_not_wait(rests):
    BackpressureMiddleware(lambda request: None)(None)
    beside(None)
    assert rests == []


def test_a_run_yields_to_a_request_until_its_end(rests):
    BackpressureMiddleware(beside)(None)
    assert len(rests) == 1
    beside(None)
    assert len(rests) == 1


def test_a_run_inside_a_request_does_not_wait_for_it(rests):
    BackpressureMiddleware(lambda request: yield_to_requests())(None)
    assert rests == []


def test_a_failed_request_no_longer_counts(rests):
    def broken(request):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        BackpressureMiddleware(broken)(None)
    beside(None)
    assert rests == []


@pytest.mark.django_db(transaction=True)
def test_a_run_yields_before_each_object_it_writes(start, rests):
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


def test_the_platform_installs_the_middleware(settings):
    assert "importer.backpressure.BackpressureMiddleware" in settings.MIDDLEWARE
