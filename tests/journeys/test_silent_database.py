"""A server whose PostgreSQL does not answer, in three ways: it swallows whatever is sent,
its processes are stopped, or a table is locked for ever. Who asks is told within the
limits, and all is well once the database is back."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from tests.database.silent_server import SilentServer
from tests.drill import seconds, times
from tests.journeys.installation import (
    PostgresInstallation,
    installed,
    wait_until,
)
from tests.journeys.test_server_killed import served
from tests.site.host.processes import LIMIT_SECONDS

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(sys.platform == "win32", reason="There is no SIGSTOP."),
]
CLIENTS = times(few=16, many=80)
# As they are where nobody sets them, in a drill.
STATEMENT_SECONDS = times(few=2, many=30)
LOCK_SECONDS = times(few=1, many=10)
# A kept connection is tried for five seconds, and a new one for five.
AWAY_SECONDS = STATEMENT_SECONDS + 5 + 5
ROWS = "/api/v1/UnitsOfMeasure"
logger = logging.getLogger("drill")


@contextlib.contextmanager
def swallowing(installation, way):
    """Let whatever is sent to the server go nowhere."""
    way.fall_silent()
    try:
        yield
    finally:
        way.speak()


@contextlib.contextmanager
def stopped(installation, way):
    """Stop the processes of the server that serve this installation, and no other."""
    found = installation.rows(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid()"
    )
    assert found
    for (backend,) in found:
        os.kill(backend, signal.SIGSTOP)
    try:
        yield
    finally:
        for (backend,) in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(backend, signal.SIGCONT)


@contextlib.contextmanager
def locked(installation, way):
    """Hold a table that every request reads."""
    named = f"host=127.0.0.1 port=5432 user=root dbname={installation.database}"
    with psycopg.connect(named) as holder:
        holder.execute("LOCK TABLE accounts_user IN ACCESS EXCLUSIVE MODE")
        yield


class Callers:
    """Programs that ask all at once, and how long each answer took."""

    def __init__(self, port):
        self._base = f"http://127.0.0.1:{port}"
        body = {"userName": "admin", "password": DEFAULT_ADMIN_PASSWORD}
        _, text, _ = self.call("/api/v1/Auth/login", json.dumps(body).encode())
        self._token = json.loads(text)["token"]

    def call(self, path, body=None, **headers):
        named = {"Content-Type": "application/json", **headers}
        request = urllib.request.Request(f"{self._base}{path}", body, named)
        since = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=LIMIT_SECONDS) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            status, text = refused.code, refused.read().decode()
        return status, text, time.monotonic() - since

    def rows(self, number=0):
        """Ask as one of many clients, each behind the proxy that this machine is."""
        client = {"X-Forwarded-For": f"192.0.2.{number}"}
        return self.call(ROWS, Authorization=f"Bearer {self._token}", **client)

    def all_at_once(self, count):
        with ThreadPoolExecutor(count) as pool:
            asked = [pool.submit(self.rows, number) for number in range(count)]
            return [one.result() for one in asked]


@pytest.fixture(scope="module")
def way():
    one = SilentServer()
    yield one
    one.close()


@pytest.fixture(scope="module")
def installation(tmp_path_factory, way):
    data = tmp_path_factory.mktemp("silent") / "data"
    with installed(PostgresInstallation, data) as one:
        one.env |= {
            "ConnectionStrings__PostgreSql": (
                f"Host=127.0.0.1;Port={way.port};Username=root;Database={one.database}"
            ),
            "Platform__Database__StatementTimeout": str(STATEMENT_SECONDS),
            "Platform__Database__LockTimeout": str(LOCK_SECONDS),
        }
        yield one


@pytest.fixture(scope="module")
def server(installation, tmp_path_factory):
    """Return a server on it, and the programs that ask it."""
    log = (tmp_path_factory.mktemp("log") / "stderr.txt").open("w")
    with log, served(installation, log=log) as (process, _admin):
        yield process, Callers(installation.port)


@pytest.mark.parametrize(
    ("hang", "status", "most_seconds"),
    [
        # The first to notice wait for it, the others are told at once.
        (swallowing, 503, AWAY_SECONDS),
        # Each thread finds its own connection dead, and the next one good.
        (stopped, 200, AWAY_SECONDS),
        # Eight at a time wait for the lock.
        (locked, 503, LOCK_SECONDS * (CLIENTS / 8 + 1)),
    ],
)
def test_requests_end_and_the_server_serves_again(
    installation, way, server, hang, status, most_seconds
):
    process, callers = server
    assert {one[0] for one in callers.all_at_once(CLIENTS)} == {200}
    with hang(installation, way):
        answers = callers.all_at_once(CLIENTS)
        ready = callers.call("/health/ready")
        live = callers.call("/health/live")
    wait_until(lambda: callers.rows()[0] == 200, process)
    assert {one[0] for one in callers.all_at_once(CLIENTS)} == {200}
    wait_until(lambda: callers.call("/health/ready")[0] == 200, process)
    took = sorted(one[2] for one in answers)
    logger.info(
        "%d clients, %s: answered after %.1f to %.1f s, half of them within %.1f s",
        *(CLIENTS, hang.__name__, took[0], took[-1], took[CLIENTS // 2]),
    )
    logger.info("ready after %.2f s, live after %.3f s", ready[2], live[2])
    assert {one[0] for one in answers} == {status}
    # The programs that ask take their time too.
    assert took[-1] < seconds(2 * most_seconds)
    assert (live[0], ready[0]) == (200, 503 if hang is swallowing else 200)
