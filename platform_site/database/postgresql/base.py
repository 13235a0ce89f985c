"""The backend for PostgreSQL. Its connections never wait beyond their limits: those of
the server, and those of the client if the server doesn't respond. Statements that are
compiled once are also prepared by the server."""

from __future__ import annotations

import time
from typing import Any, Final

import psycopg
from django.db.backends.postgresql import base, operations
from psycopg.abc import PQGen
from psycopg.adapt import AdaptersMap
from psycopg.rows import TupleRow

from platform_site.database.limits import Limits, current_limits
from platform_site.database.postgresql.untyped import untyped

_USABLE_SECONDS: Final = 5
_SILENT_SECONDS: Final = 5
# A request that computes longer inside a transaction blocks others.
_IDLE_SECONDS: Final = 60
_LOOK_AROUND_SECONDS: Final = 0.1
# Preparing takes a round trip of its own, which rare statements don't earn back.
_PREPARED_AFTER: Final = 3
# The server keeps a plan until statistics are collected, which may be minutes later or
# never: one made for an empty table reads all of it for each of its new rows.
_PLANNED_FOR: Final = 2_000


class Connection(psycopg.Connection[TupleRow]):
    """A connection that is abandoned if the server doesn't respond in time."""

    most_seconds: float | None = None
    prepared_adapters: AdaptersMap
    _uses = 0

    def count_use(self) -> None:
        """Count a use of a prepared statement; after some, the server plans anew."""
        self._uses += 1
        if self._uses % _PLANNED_FOR == 0:
            self.execute("DISCARD PLANS")

    def wait(
        self,
        gen: PQGen[Any],
        interval: float = _LOOK_AROUND_SECONDS,
        timeout: float | None = None,
    ) -> Any:
        """Wait for a response; raise OperationalError at the limit of the connection.

        Afterwards the connection can't be used any more, since the state of the
        statement is unknown.
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


class PreparedCursor(psycopg.Cursor[TupleRow]):
    """A cursor whose statements the server parses and plans once for a connection.

    Django's own cursors put the values into the text, since the server can't tell the
    types of all the parameters that Django generates.
    """

    @property
    def adapters(self) -> AdaptersMap:
        """Return how values become parameters."""
        opened: Any = self.connection
        adapters: AdaptersMap = opened.prepared_adapters
        return adapters

    def execute(self, *args: Any, **kwargs: Any) -> Any:
        """Execute a statement, with a plan that isn't too old."""
        opened: Any = self.connection
        opened.count_use()
        return super().execute(*args, **kwargs)


class DatabaseOperations(operations.DatabaseOperations):
    """Django's operations, which also know the text of prepared statements."""

    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> str:
        """Return a statement as the query log shows it."""
        if isinstance(cursor, PreparedCursor):
            # The driver forgets the text when it sends only the name.
            composed: str = self.compose_sql(sql, params)
            return composed
        last: str = super().last_executed_query(cursor, sql, params)
        return last


class _Silence:
    """Whether a connection attempt has just failed by timeout.

    The other threads then fail at once: there are only a few, and one of them is enough
    to find out whether the server is back.
    """

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self) -> None:
        """Note that the server did not respond."""
        self._until = time.monotonic() + _SILENT_SECONDS

    def end(self) -> None:
        """Note that the server responded."""
        self._until = 0.0

    def refuse(self) -> None:
        """Raise OperationalError while the server counts as silent."""
        if time.monotonic() < self._until:
            raise psycopg.errors.ConnectionTimeout(
                "the server did not answer a moment ago"
            )


_silence = _Silence()


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection with limits."""

    ops_class = DatabaseOperations

    def get_connection_params(self) -> dict[str, Any]:
        """Return the parameters for the driver."""
        params: dict[str, Any] = super().get_connection_params()
        limits = current_limits()
        if limits is not None:
            configured = params.get("connect_timeout", limits.connect_seconds)
            params["connect_timeout"] = min(configured, limits.connect_seconds)
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection:
        """Open a connection; unlike Django's, without isolation level and pool."""
        limits = current_limits()
        if limits is not None and limits.spares_attempts:
            _silence.refuse()
        self.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        try:
            # Django turns this off where necessary.
            opened = Connection.connect(**conn_params, autocommit=True)
        except psycopg.errors.ConnectionTimeout:
            _silence.begin()
            raise
        _silence.end()
        opened.prepared_adapters = untyped(opened.adapters)
        opened.prepare_threshold = _PREPARED_AFTER
        if limits is not None:
            _apply(limits, opened)
        return opened

    def prepared_cursor(self) -> Any:
        """Return a cursor for statements with the same text again and again.

        The server must be able to tell the types of their parameters.
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            return self._prepare_cursor(PreparedCursor(self.connection))  # type: ignore[attr-defined]

    def is_usable(self) -> bool:
        """Return whether the server still responds, within a few seconds."""
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
    # Not as connection options, which poolers refuse.
    opened.execute(
        f"SET statement_timeout = '{limits.statement_seconds}s';"
        f"SET lock_timeout = '{limits.lock_seconds}s';"
        f"SET idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'"
    )
