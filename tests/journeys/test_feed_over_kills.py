"""Whoever follows the changes gets each of them once, in order, while programs, imports and
a job write, and over kills of the server.

``DRILL_SECONDS=60`` sets how long they write, in the suite three.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import sys
import threading
import time
from urllib.parse import urlsplit

import pytest

from tests.builders import units
from tests.drill import times
from tests.environment import asked
from tests.journeys.installation import LIMIT_SECONDS, wait_until
from tests.journeys.test_watched_folder import SAVE
from tests.journeys.test_webhooks_killed import OneServer, said

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(sys.platform == "win32", reason="There is no kill -9."),
]
SECONDS = int(asked("DRILL_SECONDS") or times(few=3, many=60))
BETWEEN_KILLS = 10
PROGRAMS, IMPORTERS, FILLERS = 4, 2, 2
PACKAGE = "application/vnd.platform.package+json"


class Api:
    """Calls the API, and again and again until there is an answer."""

    def __init__(self, servers, key):
        self._servers, self._key = servers, key

    def call(self, method, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        named = {"X-Api-Key": self._key, "Content-Type": "application/json"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                status, answer = self._once(method, path, data, named)
                if status < 409:
                    return status, answer
            time.sleep(0.05)

    def _once(self, method, path, data, headers):
        address = urlsplit(self._servers.url).netloc
        line = http.client.HTTPConnection(address, timeout=LIMIT_SECONDS)
        try:
            line.request(method, f"/api/v1/{path}", data, headers)
            answer = line.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            line.close()


class Writers:
    """Eight who write until they are told to stop."""

    def __init__(self, api, folder):
        self._api, self._folder = api, folder
        self.refused = []
        self._over = threading.Event()
        kinds = [self._enter] * PROGRAMS + [self._import] * IMPORTERS
        kinds += [self._fill] * FILLERS
        self._threads = [
            threading.Thread(target=self._write, args=(kind, number), daemon=True)
            for number, kind in enumerate(kinds)
        ]

    def start(self):
        for thread in self._threads:
            thread.start()

    def stop(self):
        self._over.set()
        for thread in self._threads:
            thread.join(LIMIT_SECONDS)
            assert not thread.is_alive()

    def _write(self, kind, writer):
        number = 0
        while not self._over.is_set():
            kind(f"w{writer}n{number}")
            number += 1

    def _enter(self, name):
        row = {"code": name, "name": name}
        self._send("UnitsOfMeasure", row, Idempotency_Key=name)

    def _import(self, name):
        package = units(*(f"{name}-{n}" for n in range(20)), package=f"load.{name}")
        content = json.loads(package.as_bytes())
        self._send("Import/run?queue=true", content, Content_Type=PACKAGE)
        self._over.wait(1)

    def _send(self, path, body, **headers):
        status, answer = self._api.call("POST", path, body, **headers)
        if status not in (201, 202):
            self.refused.append((status, answer))

    def _fill(self, name):
        """Put a table into the folder that a job watches."""
        self._folder.mkdir(parents=True, exist_ok=True)
        hidden, file = self._folder / f".{name}", self._folder / f"{name}.csv"
        rows = "".join(f"{name}-{n};Unit {n}\n" for n in range(20))
        hidden.write_text(f"Code;Name\n{rows}", encoding="utf-8")
        then = time.time() - 600
        os.utime(hidden, (then, then))
        hidden.rename(file)
        self._over.wait(2)


class Reader(threading.Thread):
    """Follows the changes from a position, whatever happens to the server."""

    def __init__(self, api, position):
        super().__init__(daemon=True)
        self._api, self.position = api, position
        self._over = False
        self.ids = []

    def run(self):
        while not self._over:
            path = f"Changes?after={self.position}&limit=50"
            status, page = self._api.call("GET", path)
            assert status == 200, page
            self.ids += [change["id"] for change in page["results"]]
            self.position = page["next"]

    def end(self, last):
        wait_until(lambda: self.position >= last)
        self._over = True
        self.join(LIMIT_SECONDS)


def test_every_change_is_read_once_and_in_order(installation):
    said(installation.command("shell", "-c", f"{SAVE}; print('saved')"))
    key = said(installation.command("create_api_key", "admin", "--name", "Reader"))
    installation.command("shell", "-c", JOB)
    servers = OneServer(installation)
    servers.start()
    api = Api(servers, key)
    _status, page = api.call("GET", "Changes?after=latest")
    begin = page["next"]
    reader = Reader(api, begin)
    writers = Writers(api, installation.data / "inbox" / "units")
    reader.start()
    writers.start()
    try:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            time.sleep(min(SECONDS / 2, random.uniform(0, BETWEEN_KILLS)))
            servers.kill()
        writers.stop()
        assert writers.refused == []
        wait_until(lambda: by_jobs(installation) and not waiting(installation))
        written = [
            event
            for (event,) in installation.rows(
                f"SELECT id FROM changes_changeevent WHERE id > {begin} ORDER BY id"
            )
        ]
        reader.end(written[-1])
    finally:
        servers.stop()
    origins = dict(
        installation.rows(
            "SELECT origin, count(*) FROM changes_changeevent"
            f" WHERE id > {begin} GROUP BY origin"
        )
    )
    assert {"API key", "Import"} <= set(origins), origins
    assert reader.ids[: len(written)] == written


# The job of the source runs every few seconds here.
JOB = """
from platform_site.scheduling.models import Job
Job.objects.update(cron="", interval_seconds=2)
"""


def by_jobs(installation):
    """Return whether the job of the source has imported a table."""
    return installation.rows(
        "SELECT 1 FROM importer_importrun WHERE started_via = 'job'"
        " AND status = 'Completed'"
    )


def waiting(installation):
    """Return whether runs wait or run."""
    return installation.rows(
        "SELECT 1 FROM importer_importrun WHERE status IN ('Queued', 'Running')"
    )
