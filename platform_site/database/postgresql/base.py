"""Django's backend for PostgreSQL, whose connections never wait past their limits: those
of the server where it keeps time, those of the client where it does not answer at all."""

from __future__ import annotations

import time
from typing import Any, Final

import psycopg
from django.db.backends.postgresql import base, operations
from psycopg.abc import PQGen
from psycopg.rows import TupleRow

from platform_site.database.limits import Limits, current_limits

_USABLE_SECONDS: Final = 5
_SILENT_SECONDS: Final = 5
# A request that computes within a transaction for longer holds up all others.
_IDLE_SECONDS: Final = 60
_LOOK_AROUND_SECONDS: Final = 0.1


class Connection(psycopg.Connection[TupleRow]):
    """A connection that is given up when the server has not answered in time."""

    most_seconds: float | None = None

    def wait(
        self,
        gen: PQGen[Any],
        interval: float = _LOOK_AROUND_SECONDS,
        timeout: float | None = None,
    ) -> Any:
        """Wait for an answer; raise OperationalError when the limit of the connection
        is over.

        What the server makes of the statement nobody knows then, so the connection is
        of no more use.
        """
        if timeout is not None or self.most_seconds is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.most_seconds)
        except psycopg.errors._WaitTimeout:
            self.close()
            raise psycopg.OperationalError(
                f"the server did not answer within {self.most_seconds:g} s"
            ) from None


class _Silence:
    """Whether the server let somebody wait in vain for a connection just now.

    Others are spared the wait: a few threads answer all requests, and while one tries
    whether the server is back, the rest can say that it is not.
    """

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self) -> None:
        """Note that the server did not answer."""
        self._until = time.monotonic() + _SILENT_SECONDS

    def end(self) -> None:
        """Note that it did."""
        self._until = 0.0

    def refuse(self) -> None:
        """Raise OperationalError while the server is thought to be silent."""
        if time.monotonic() < self._until:
            raise psycopg.errors.ConnectionTimeout(
                "the server did not answer a moment ago"
            )


_silence = _Silence()


class DatabaseOperations(operations.DatabaseOperations):
    """What PostgreSQL does its own way."""

    compiler_module = "platform_site.database.postgresql.compiler"


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection, with the limits of whatever opened it."""

    ops_class = DatabaseOperations

    def get_connection_params(self) -> dict[str, Any]:
        """Return what the driver is called with."""
        params: dict[str, Any] = super().get_connection_params()
        limits = current_limits()
        if limits is not None:
            configured = params.get("connect_timeout", limits.connect_seconds)
            params["connect_timeout"] = min(configured, limits.connect_seconds)
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection:
        """Open a connection; unlike Django's it takes no isolation level and no pool."""
        limits = current_limits()
        if limits is not None and limits.spares_attempts:
            _silence.refuse()
        self.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        try:
            # Django turns this off where it has to.
            opened = Connection.connect(**conn_params, autocommit=True)
        except psycopg.errors.ConnectionTimeout:
            _silence.begin()
            raise
        _silence.end()
        if limits is not None:
            _apply(limits, opened)
        return opened

    def is_usable(self) -> bool:
        """Return whether the server still answers, within a few seconds."""
        opened = self.connection
        if opened is None:
            return False
        before = opened.most_seconds
        opened.most_seconds = min(before or _USABLE_SECONDS, _USABLE_SECONDS)
        try:
            usable: bool = super().is_usable()
        finally:
            opened.most_seconds = before
        return usable


def _apply(limits: Limits, opened: Connection) -> None:
    opened.most_seconds = limits.most_seconds
    # Not as options of the connection, which poolers in between refuse.
    opened.execute(
        f"SET statement_timeout = '{limits.statement_seconds}s';"
        f"SET lock_timeout = '{limits.lock_seconds}s';"
        f"SET idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'"
    )
