"""The requests of a soak, and how long each took."""

from __future__ import annotations

import http.client
import json
import threading
import time
from types import SimpleNamespace

_LIMIT_SECONDS = 120
# What a kept connection does if the server has closed it meanwhile.
_CLOSED = (
    http.client.RemoteDisconnected,
    ConnectionError,
    http.client.CannotSendRequest,
)
_MOST_FAILURES = 100


class Journal:
    """What has been asked and answered: seconds since the begin, kind and milliseconds
    of each request, how often each status came, and what went wrong."""

    def __init__(self):
        self.begun = time.monotonic()
        self.over = threading.Event()
        self.requests = []
        self.statuses = {}
        self.failures = []
        self._lock = threading.Lock()

    @property
    def now(self):
        return time.monotonic() - self.begun

    def add(self, kind, started, status):
        """Note an answer, or 0 if there was none."""
        taken = time.monotonic() - self.begun - started
        with self._lock:
            self.requests.append((started, kind, taken * 1000))
            self.statuses[status] = self.statuses.get(status, 0) + 1

    def fail(self, sentence):
        """Note what should not happen."""
        with self._lock:
            if len(self.failures) < _MOST_FAILURES:
                self.failures.append(f"{self.now:.0f} s: {sentence}")

    def pause(self, seconds):
        """Wait, but not beyond the end; return whether the end has come."""
        return self.over.wait(seconds)


class Client:
    """Somebody who asks the nodes in turn, from an address of their own."""

    def __init__(self, servers, journal, number, **headers):
        self.journal = journal
        self.cookies = {}
        # The server trusts a proxy on this machine, and limits each address.
        self.headers = {"X-Forwarded-For": f"10.0.0.{number + 1}", **headers}
        self._lines = [
            http.client.HTTPConnection(node.address, timeout=_LIMIT_SECONDS)
            for node in servers.nodes
        ]
        self._turn = number

    def ask(self, kind, method, path, body=None, *, expect=(200,), **headers):
        """Return the answer of the next node; note it, and anything unexpected."""
        self._turn += 1
        line = self._lines[self._turn % len(self._lines)]
        cookies = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        named = {**self.headers, **headers, **({"Cookie": cookies} if cookies else {})}
        started = self.journal.now
        try:
            answer, content = _sent(line, method, path, body, named)
        except (OSError, http.client.HTTPException) as error:
            line.close()
            self.journal.add(kind, started, 0)
            self.journal.fail(f"{method} {path}: {error!r}")
            return SimpleNamespace(status=0, text="", json=None, headers={})
        self.journal.add(kind, started, answer.status)
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, text = cookie.partition(";")[0].partition("=")
            self.cookies[name] = text
        text = content.decode()
        if answer.status not in expect:
            self.journal.fail(f"{method} {path}: {answer.status} {text[:300]}")
        is_json = "json" in answer.headers.get("Content-Type", "")
        return SimpleNamespace(
            status=answer.status,
            text=text,
            json=json.loads(text) if is_json and text else None,
            headers=answer.headers,
        )

    def call(self, kind, method, path, data=None, **more):
        """Ask the API."""
        body = None if data is None else json.dumps(data).encode()
        named = {"Content-Type": "application/json"} if body else {}
        return self.ask(kind, method, f"/api/v1/{path}", body, **named, **more)

    def close(self):
        for line in self._lines:
            line.close()


def _sent(line, method, path, body, headers):
    """Send a request on a kept connection, on a new one if it was closed meanwhile."""
    is_kept = line.sock is not None
    try:
        line.request(method, path, body, headers)
        answer = line.getresponse()
    except _CLOSED:
        line.close()
        if not is_kept:
            raise
        line.request(method, path, body, headers)
        answer = line.getresponse()
    return answer, answer.read()
