"""Readers of the change feed, who continue from where the last page ended."""

from __future__ import annotations

import random
import threading

from django.db import connection, connections, transaction

from platform_site.changes.models import ChangeEvent
from platform_site.changes.services import record_change

# How long a transaction lasts at most, after each event. On SQLite all others wait.
_DELAY_SECONDS = {"postgresql": 0.02, "sqlite": 0.001}


def an_event(row="A-1 Bolt", row_id=7):
    """Record a change, and return its id."""
    action = ChangeEvent.Action.UPDATED
    event = record_change(
        action=action, model="Items", row_id=row_id, row=row, changes={}
    )
    return event.pk


class Reader:
    """Polls the feed, and keeps what it has read."""

    def __init__(self, caller, limit=100):
        self._caller, self._limit = caller, limit
        self.position = self._page("latest")["next"]
        self.ids = []

    def poll(self):
        """Read to the end of the feed, and return the new ids."""
        found = []
        while True:
            page = self._page(self.position)
            found += [each["id"] for each in page["results"]]
            self.position = page["next"]
            if len(page["results"]) < self._limit:
                self.ids += found
                return found

    def _page(self, after):
        answer = self._caller.get(f"/Changes?after={after}&limit={self._limit}")
        assert answer.status_code == 200, answer.content
        return answer.json()


class Writer(threading.Thread):
    """Writes transactions of a few events, which take random times to commit; some are
    rolled back, as a whole or to a savepoint."""

    def __init__(self, seed, count):
        super().__init__()
        self._random, self._count = random.Random(seed), count
        self.committed = []
        self.start()

    def run(self):
        try:
            for _each in range(self._count):
                with transaction.atomic():
                    written = self._events()
                    if self._random.random() < 0.1:
                        transaction.set_rollback(True)
                        written = []
                self.committed += written
        finally:
            connections.close_all()

    def _events(self):
        written, longest = [], _DELAY_SECONDS.get(connection.vendor, 0)
        for _each in range(self._random.randint(1, 3)):
            given_up = self._random.random() < 0.2
            with transaction.atomic():
                drawn = an_event()
                transaction.set_rollback(given_up)
            written += [] if given_up else [drawn]
            threading.Event().wait(self._random.random() * longest)
        return written
