"""A gate that holds a run at its first write until a test opens it."""

from __future__ import annotations

import threading
from contextlib import contextmanager

from importer.runs import background
from platform_site.records.importing import RecordTarget

LIMIT_SECONDS = 180


class Gate:
    """A gate before every write of a run; the first write waits while it is closed."""

    def __init__(self):
        self.reached = threading.Event()
        self.opened = threading.Event()

    def pass_through(self):
        """Wait until the gate is open."""
        self.reached.set()
        assert self.opened.wait(LIMIT_SECONDS), "nobody opened the gate"

    def wait_for_a_run(self):
        """Wait until a run is waiting at the gate."""
        assert self.reached.wait(LIMIT_SECONDS), "no run came to the gate"

    def open(self):
        """Let the run continue and wait for its end."""
        self.opened.set()
        finish_runs()


def finish_runs():
    """Wait for the end of all background runs."""
    background.engine().join(LIMIT_SECONDS)


def finish_queued_runs():
    """Wait until no run is queued, and for the end of all background runs."""
    background.queue_thread.join(LIMIT_SECONDS)
    finish_runs()


@contextmanager
def gate(monkeypatch):
    """Put a closed gate before the writes of runs."""
    one, commit = Gate(), RecordTarget.commit

    def held(self, prepared, mark):
        one.pass_through()
        return commit(self, prepared, mark)

    monkeypatch.setattr(RecordTarget, "commit", held)
    try:
        yield one
    finally:
        one.open()
