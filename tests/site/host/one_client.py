"""Clients that hold a server as long as it lets them, beside a user who wants to work.

`python -m tests.site.host.one_client URL PID` measures any server: it signs in as the first
administrator, lets the clients come, and prints how long the user waited and what the
process held. Used by the drill of the same name, and to choose a server.
"""

from __future__ import annotations

import http.client
import json
import socket
import statistics
import sys
import threading
import time
import urllib.request
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD

BIG_FILE = "/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js"
LIST = "/api/v1/Changes?pageSize=200"
WORK = "/api/v1/About"
# Little enough that the system takes no large answer out of the server's hands.
_RECEIVE_BYTES = 4096
_LIMIT_SECONDS = 60


@dataclass
class Measured:
    live: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    failed: int = 0
    spooled: int = 0
    resident: int = 0

    def shown(self):
        return {
            "requests": len(self.live) + len(self.work),
            "failed": self.failed,
            "live worst s": round(max(self.live), 3),
            "API median s": round(statistics.median(self.work), 3),
            "API p99 s": round(self.work_p99, 3),
            "spooled MB": round(self.spooled / 1e6, 1),
            "resident MB": round(self.resident / 1e6, 1),
        }

    @property
    def work_p99(self):
        return sorted(self.work)[max(0, len(self.work) * 99 // 100 - 1)]


class Clients:
    """Connections that are opened and kept, and a thread that drips into some."""

    def __init__(self, url):
        parts = urlsplit(url)
        self._address = (parts.hostname, parts.port)
        self._open = []
        self._dripping = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._drip)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        for one in self._open:
            one.close()

    def ask_and_not_read(self, path, token=None):
        bearer = f"Authorization: Bearer {token}\r\n" if token else ""
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{bearer}\r\n"
        self._connected().sendall(head.encode())

    def drip(self, announced, at_once):
        """Begin a body: so much of it at once, as far as it is taken, then a byte now
        and then."""
        one = self._connected()
        one.sendall(
            b"POST /api/v1/Auth/login HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % announced
        )
        one.setblocking(False)
        self._dripping.append([one, at_once])

    def _connected(self):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BYTES)
        one.settimeout(_LIMIT_SECONDS)
        one.connect(self._address)
        self._open.append(one)
        return one

    def _drip(self):
        while not self._over.wait(0.2):
            for each in self._dripping:
                one, left = each
                with suppress(OSError):
                    each[1] -= one.send(b" " * max(1, min(left, 1 << 18)))


class Watched:
    """What a process holds: memory, and files that nobody else sees or that spool."""

    def __init__(self, pid):
        self._of = Path("/proc", str(pid))

    def resident(self):
        for line in (self._of / "status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) * 1024
        raise AssertionError(line)

    def spooled(self):
        total = 0
        for entry in (self._of / "fd").iterdir():
            with suppress(OSError):
                if " (deleted)" in str(entry.readlink()):
                    total += entry.stat().st_size
        return total


def measure(url, pid, token, *, clients, seconds):
    """Let as many clients that do not read and as many that drip come, and work."""
    measured, watched = Measured(), Watched(pid)
    with Clients(url) as crowd:
        for number in range(clients):
            if number % 2:
                crowd.ask_and_not_read(BIG_FILE)
            else:
                crowd.ask_and_not_read(LIST, token)
            if number % 2:
                crowd.drip(50_000_000, 5_000_000)
            else:
                crowd.drip(900_000, 600_000)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            _take(measured, measured.live, url, "/health/live")
            _take(measured, measured.work, url, WORK, token)
            measured.spooled = max(measured.spooled, watched.spooled())
            measured.resident = max(measured.resident, watched.resident())
            time.sleep(0.02)
    return measured


def _take(measured, times, url, path, token=None):
    begun = time.monotonic()
    try:
        with closing(_client(url)) as client:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            client.request("GET", path, headers=headers)
            answer = client.getresponse()
            answer.read()
            measured.failed += answer.status != 200
    except OSError:
        measured.failed += 1
    times.append(time.monotonic() - begun)


def _client(url):
    parts = urlsplit(url)
    return http.client.HTTPConnection(
        parts.hostname, parts.port, timeout=_LIMIT_SECONDS
    )


def signed_in(url):
    """Return the token of the first administrator."""
    body = {"userName": "admin", "password": DEFAULT_ADMIN_PASSWORD}
    request = urllib.request.Request(
        f"{url}/api/v1/Auth/login",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=_LIMIT_SECONDS) as answer:
        return json.load(answer)["token"]


def main(url, pid, clients="200", seconds="30"):
    before = Watched(pid).resident()
    found = measure(
        url, pid, signed_in(url), clients=int(clients), seconds=float(seconds)
    )
    shown = {"resident before MB": round(before / 1e6, 1), **found.shown()}
    sys.stdout.write(json.dumps(shown) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
