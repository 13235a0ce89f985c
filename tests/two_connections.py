"""Two people at once: work done in a thread with a database connection of its own, to its
end at a chosen moment, or until it has to wait."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from unittest import mock

from django.db import connection, connections

LIMIT_SECONDS = 60


class Elsewhere:
    """Something another person does, in a thread and on a connection of its own."""

    def __init__(self, deed, **what):
        self.result = None
        self._deed, self._what = deed, what
        self._backend = None
        self._connected = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self):
        try:
            connection.ensure_connection()
            if connection.vendor == "postgresql":
                self._backend = connection.connection.info.backend_pid
            self._connected.set()
            self.result = self._deed(**self._what)
        except Exception as error:  # noqa: BLE001 - whoever asks shall judge it
            self.result = error
        finally:
            self._connected.set()
            connections.close_all()

    def end(self):
        """Wait for the end, and return what came of it, an exception as well."""
        self._thread.join(LIMIT_SECONDS)
        assert not self._thread.is_alive(), "the other person waits for ever"
        return self.result

    def end_or_wait(self):
        """Return once it is done, or waits for this connection's transaction.

        SQLite lets nobody else begin a transaction meanwhile, so there is nothing to
        wait for.
        """
        assert self._connected.wait(LIMIT_SECONDS)
        if connection.vendor != "postgresql":
            return
        with connection.cursor() as cursor:
            while self._thread.is_alive():
                cursor.execute(
                    "SELECT count(*) FROM pg_locks WHERE pid = %s AND NOT granted",
                    [self._backend],
                )
                if cursor.fetchone()[0]:
                    return
                self._thread.join(0.01)


def elsewhere(deed, **what):
    """Let another person do something to its end, and return what came of it."""
    return Elsewhere(deed, **what).end()


@contextmanager
def before_each(where, name, deed):
    """Do something each time a function is about to be called."""
    original = getattr(where, name)

    def first_the_deed(*args, **kwargs):
        deed(*args, **kwargs)
        return original(*args, **kwargs)

    with mock.patch.object(where, name, first_the_deed):
        yield
