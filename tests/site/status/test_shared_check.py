"""A check of something that hangs: who asks is answered, and one thread waits."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from platform_site.site.status import shared_check
from platform_site.site.status.shared_check import SharedCheck

LATE = "no answer"


class Gate:
    """Something to check that hangs while it is shut."""

    def __init__(self):
        self.open = threading.Event()
        self.open.set()
        self.entered = 0

    def check(self):
        self.entered += 1
        assert self.open.wait(60)
        return f"answer {self.entered}"


@pytest.fixture
def gate():
    one = Gate()
    yield one
    one.open.set()


@pytest.fixture
def shared(gate, monkeypatch):
    monkeypatch.setattr(shared_check, "LIMIT_SECONDS", 0.05)
    return SharedCheck(gate.check, late=LATE)


def checking():
    return [one for one in threading.enumerate() if one.name == "check"]


def until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_result_is_cached_briefly(gate, shared):
    assert shared() == shared() == "answer 1"
    forgetful = SharedCheck(gate.check, late=LATE, kept_seconds=0)
    assert [forgetful(), forgetful()] == ["answer 2", "answer 3"]


def test_a_thousand_who_ask_at_once_make_one_check(gate, monkeypatch):
    monkeypatch.setattr(shared_check, "LIMIT_SECONDS", 60)
    shared = SharedCheck(gate.check, late=LATE)
    gate.open.clear()
    with ThreadPoolExecutor(50) as pool:
        asked = [pool.submit(shared) for _ in range(1000)]
        until(lambda: gate.entered)
        gate.open.set()
        assert {one.result() for one in asked} == {"answer 1"}


def test_a_check_that_hangs_is_late_for_everybody_and_holds_one_thread(gate, shared):
    gate.open.clear()
    assert {shared() for _ in range(100)} == {LATE}
    assert gate.entered == 1
    assert len(checking()) == 1


def test_it_recovers_by_itself_once_the_check_ends(gate, shared):
    gate.open.clear()
    assert shared() == LATE
    gate.open.set()
    until(lambda: shared() != LATE)
    assert shared() == "answer 1"


def test_a_failure_is_an_answer_in_one_line():
    def fail():
        raise OSError("the disk\n  is on fire")

    assert SharedCheck(fail, late=LATE)() == "the disk is on fire"


def test_an_error_without_words_is_named():
    def fail():
        raise KeyError

    assert SharedCheck(fail, late=LATE)() == "KeyError"
