"""Concurrent guesses from threads and processes: they share the counters, which outlive
the server."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from unittest import mock

import pytest
from django.db import connections

from platform_site.accounts.throttling import TooManyAttempts, attempt
from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.accounts.sign_in_ways import HOME, OFFICE, STRANGER, later
from tests.drill import times
from tests.first_start import started_once
from tests.site.host.processes import (
    LIMIT_SECONDS,
    announced,
    environment,
    start,
    stop,
)

GUESSER = """
import sys
from unittest import mock
from django.contrib.auth import authenticate
from platform_site.accounts.throttling import TooManyAttempts

request = mock.Mock(META=dict(REMOTE_ADDR="203.0.113.9"), COOKIES=dict())
print("ready", flush=True)
sys.stdin.readline()
looked_at = 0
for n in range({count}):
    try:
        authenticate(request, username="admin", password="guess %d" % n)
        looked_at += 1
    except TooManyAttempts:
        pass
print(looked_at, flush=True)
"""


def request(address):
    return mock.Mock(META={"REMOTE_ADDR": address}, COOKIES={})


def crowd(deed, count):
    """Call a function from many threads at the same time; return how many were
    admitted."""

    def alone(number):
        try:
            deed()
        except TooManyAttempts:
            return 0
        finally:
            connections.close_all()
        return 1

    with ThreadPoolExecutor(12) as threads:
        return sum(threads.map(alone, range(count)))


@pytest.mark.django_db(transaction=True)
def test_concurrent_guesses_are_counted_one_by_one():
    assert crowd(lambda: attempt(request(STRANGER), "emma").failed(), 60) == 5


@pytest.mark.django_db(transaction=True)
def test_after_a_wait_only_one_of_many_attempts_is_admitted():
    attempt(request(OFFICE), "emma").succeeded()
    for _ in range(5):
        attempt(request(OFFICE), "emma").failed()
    with later(seconds=31):
        assert crowd(lambda: attempt(request(OFFICE), "emma"), 36) == 1


@pytest.mark.django_db(transaction=True)
def test_many_known_users_can_sign_in_at_the_same_time():
    attempt(request(HOME), "emma").succeeded()
    assert crowd(lambda: attempt(request(HOME), "emma").succeeded(), 36) == 36


@pytest.mark.process
def test_counters_are_shared_by_processes_and_survive_a_restart(tmp_path):
    data = started_once(tmp_path / "data")
    guessers = [_guesser(data) for _ in range(times(2, 8))]
    for each in guessers:
        assert each.stdout.readline() == "ready\n"
    for each in guessers:
        each.stdin.write("\n")
        each.stdin.flush()
    looked_at = [int(each.communicate(timeout=LIMIT_SECONDS)[0]) for each in guessers]
    assert sum(looked_at) == 5
    served = start(data)
    with closing(served.database()) as database, database:
        # However long the start takes, they have to wait still.
        database.execute("UPDATE accounts_signincounter SET failures = failures * 3")
    announced(served)
    try:
        assert _guess(served, STRANGER) == 429
        assert served.sign_in(**{"X-Forwarded-For": HOME})["token"]
    finally:
        stop(served)


def _guess(served, address):
    body = json.dumps({"userName": "admin", "password": "wrong again"}).encode()
    headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
    return served.call("POST", "/api/v1/Auth/login", body, **headers)[0]


def _guesser(data):
    return subprocess.Popen(
        [
            sys.executable,
            str(APPLICATION_FOLDER / "manage.py"),
            "shell",
            "--verbosity=0",
            "-c",
            GUESSER.format(count=times(20, 200)),
        ],
        env=environment(data),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
