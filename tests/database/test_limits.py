"""How long a connection waits for a PostgreSQL server that does not answer, in the three
ways it may not: stopped, unreachable, and busy behind a lock."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest
from django.db import OperationalError, transaction

from platform_site.database.limits import Limits, LimitsMiddleware, limited
from platform_site.database.postgresql import base
from tests.drill import seconds

LIMITS = Limits(
    statement_seconds=1, lock_seconds=1, connect_seconds=2, answer_seconds=2
)


def ask(connection, statement="SELECT 17", *parameters):
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchone()


@pytest.fixture(autouse=True)
def soon():
    """Let nothing take long."""
    since = time.monotonic()
    yield
    assert time.monotonic() - since < seconds(30)


def test_a_connection_that_fell_silent_is_given_up_and_the_next_one_is_fresh(
    connect, way
):
    with limited(LIMITS):
        connection = connect(way)
        assert ask(connection) == (17,)
        way.fall_silent()
        with pytest.raises(OperationalError, match="did not answer within 2 s"):
            ask(connection)
        way.speak()
        connection.close_if_unusable_or_obsolete()
        assert ask(connection) == (17,)


def test_a_transaction_that_fell_silent_ends_too(connect, way, monkeypatch):
    # Django opens another connection when the transaction ends.
    monkeypatch.setattr(base, "_SILENT_SECONDS", 0)

    def asked_twice():
        with transaction.atomic(using="other"):
            ask(connection)
            way.fall_silent()
            ask(connection)

    with limited(LIMITS):
        connection = connect(way)
        with pytest.raises(OperationalError):
            asked_twice()
        way.speak()
        assert ask(connection) == (17,)


@pytest.mark.skipif(sys.platform == "win32", reason="There is no SIGSTOP.")
def test_a_stopped_backend_is_given_up(connect):
    with limited(LIMITS):
        connection = connect()
        backend = connection.connection.info.backend_pid
        os.kill(backend, signal.SIGSTOP)
        try:
            with pytest.raises(OperationalError, match="did not answer within"):
                ask(connection)
        finally:
            os.kill(backend, signal.SIGCONT)
        connection.close_if_unusable_or_obsolete()
        assert ask(connection) == (17,)
        assert connection.connection.info.backend_pid != backend


def test_a_lock_is_waited_for_as_long_as_the_limit_and_the_connection_is_kept(connect):
    holder = connect()
    ask(holder, "SELECT 1 FROM (SELECT pg_advisory_lock(%s, 1)) locked", os.getpid())
    with limited(LIMITS):
        connection = connect()
        backend = connection.connection.info.backend_pid
        with pytest.raises(OperationalError, match="timeout"):
            ask(connection, "SELECT pg_advisory_lock(%s, 1)", os.getpid())
        assert ask(connection) == (17,)
    assert connection.connection.info.backend_pid == backend


def test_a_statement_is_ended_by_the_server(connect):
    with limited(LIMITS):
        connection = connect()
    with pytest.raises(OperationalError, match="statement timeout"):
        ask(connection, "SELECT pg_sleep(60)")


def test_runs_jobs_and_commands_have_no_limit(connect):
    connection = connect()
    with limited(LIMITS):
        ask(connection, "SELECT pg_sleep(2.5)")
    assert ask(connection, "SHOW statement_timeout") == ("0",)


def test_whoever_has_no_limit_still_finds_out_that_a_kept_connection_is_silent(
    connect, way, monkeypatch
):
    monkeypatch.setattr(base, "_USABLE_SECONDS", 1)
    connection = connect(way)
    way.fall_silent()
    assert not connection.is_usable()


def test_only_one_waits_for_a_server_that_gives_no_connection(connect, way):
    way.fall_silent()
    with limited(LIMITS):
        with pytest.raises(OperationalError, match="timeout"):
            connect(way)
        since = time.monotonic()
        for _ in range(100):
            with pytest.raises(OperationalError, match="did not answer a moment ago"):
                connect(way)
        assert time.monotonic() - since < seconds(LIMITS.connect_seconds)


def test_the_threads_of_requests_have_the_limits_of_the_settings(settings, connect):
    settings.PLATFORM_STATEMENT_SECONDS, settings.PLATFORM_LOCK_SECONDS = 41, 7
    found = LimitsMiddleware(
        lambda request: [
            ask(connect(), f"SHOW {name}")
            for name in ("statement_timeout", "lock_timeout")
        ]
    )(None)
    assert found == [("41s",), ("7s",)]
