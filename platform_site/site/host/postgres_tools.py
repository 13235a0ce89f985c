"""PostgreSQL's own tools, pg_dump and pg_restore: found, compared with the server, and
run so that their failures are sentences."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from psycopg import Connection, connect
from psycopg.conninfo import make_conninfo

from platform_site.settings.configuration import Configuration
from platform_site.settings.errors import StartRefusedError

TOOLS: Final = "Backup:PostgresTools"
_OWN_OPTIONS: Final = ("sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout")
_LOOK_EVERY_SECONDS: Final = 0.5
_LONGEST_REASON: Final = 500
_MANY: Final = 10_000


class ToolFailed(StartRefusedError):
    """The refusal or failure of one of PostgreSQL's tools."""


@dataclass(frozen=True, slots=True)
class PostgresTools:
    """PostgreSQL's tools for one database."""

    conninfo: str
    password: str
    database: str
    folder: str

    def connect(self, database: str = "", **options: Any) -> Connection[Any]:
        """Open a connection to the database, or to another on the same server."""
        given: dict[str, Any] = {"dbname": database} if database else {}
        given["password"] = self.password
        return connect(self.conninfo, **given, **options)

    def dump(
        self, path: Path, *, snapshot: str = "", has_stopped: Callable[[], bool]
    ) -> None:
        """Write the database to a file in PostgreSQL's own format."""
        self.require_dump()
        chosen = [f"--snapshot={snapshot}"] if snapshot else []
        # The archive is compressed as a whole.
        call = ["--format=custom", "--compress=0", "--no-owner", "--no-privileges"]
        self._run("pg_dump", [*call, *chosen, f"--file={path}"], has_stopped)

    def restore(
        self, path: Path, *, database: str = "", has_stopped: Callable[[], bool]
    ) -> None:
        """Fill an empty database from such a file, completely or not at all."""
        call = ["--no-owner", "--no-privileges", "--exit-on-error"]
        call += ["--single-transaction", str(path)]
        self._run("pg_restore", call, has_stopped, database or self.database)

    def list_content(self, path: Path) -> int:
        """Return the number of entries in the list of such a file."""
        done = self._finished("pg_restore", ["--list", str(path)])
        return sum(not line.startswith(";") for line in done.splitlines() if line)

    def require_dump(self) -> str:
        """Return the server's version; raise ToolFailed if a tool is missing or
        older."""
        with self.connect() as connection:
            server = connection.info.server_version // _MANY
        for tool in ("pg_dump", "pg_restore"):
            version = self._version(tool)
            if version < server:
                raise ToolFailed(
                    f"{tool} has version {version}, but the server has {server}, for "
                    f"which it is too old. Install the client programs of PostgreSQL "
                    f"{server}, or set {TOOLS} to the folder of theirs."
                )
        return str(server)

    def _version(self, tool: str) -> int:
        found = re.search(r"\d+", self._finished(tool, ["--version"]))
        return int(found[0]) if found else 0

    def _path(self, tool: str) -> str:
        path = shutil.which(tool, path=self.folder or None)
        if path is None:
            place = self.folder or "the path of this process"
            raise ToolFailed(
                f"{tool} isn't in {place}. Install PostgreSQL's client programs (the "
                "package postgresql-client of most systems) in the version of the "
                f"database server or a newer one, or set {TOOLS} to their folder."
            )
        return path

    def _run(
        self,
        tool: str,
        arguments: Sequence[str],
        has_stopped: Callable[[], bool],
        database: str = "",
    ) -> None:
        """Run a tool that uses the database; end it when asked to stop."""
        conninfo = make_conninfo(self.conninfo, dbname=database or self.database)
        call = [self._path(tool), f"--dbname={conninfo}", "--no-password", *arguments]
        with subprocess.Popen(  # noqa: S603 - its path was looked up, the rest is ours
            call,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process:
            errors = _wait(process, has_stopped)
        if process.returncode:
            raise ToolFailed(_failure(tool, errors))

    def _finished(self, tool: str, arguments: Sequence[str]) -> str:
        done = subprocess.run(  # noqa: S603 - its path was looked up, the rest is ours
            [self._path(tool), *arguments],
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise ToolFailed(_failure(tool, done.stderr))
        return done.stdout.decode(errors="replace")

    def _environment(self) -> Mapping[str, str]:
        # Not as an argument, which everybody on the machine can read.
        return {**os.environ, "PGPASSWORD": self.password, "LC_ALL": "C"}


def postgres_tools(configuration: Configuration) -> PostgresTools:
    """Return the tools for the database of the installation."""
    entry: dict[str, Any] = dict(configuration.connection.entry)
    options = {
        name: value
        for name, value in entry.get("OPTIONS", {}).items()
        if name in _OWN_OPTIONS
    }
    parts = {"host": "HOST", "port": "PORT", "user": "USER", "dbname": "NAME"}
    given = {name: entry[key] for name, key in parts.items() if entry.get(key)}
    return PostgresTools(
        conninfo=make_conninfo(**given, **options),
        password=str(entry.get("PASSWORD", "")),
        database=str(entry["NAME"]),
        folder=configuration.settings.text(TOOLS),
    )


def is_empty(tools: PostgresTools) -> bool:
    """Return whether a database has no tables."""
    with tools.connect() as connection:
        return not connection.execute(_TABLES).fetchall()


def empty(tools: PostgresTools) -> None:
    """Drop everything that a dump may create, in one transaction."""
    with tools.connect() as connection:
        for query, statement in _DROPPED:
            for (name,) in connection.execute(query).fetchall():
                connection.execute(statement.format(name))


# Everything but what belongs to the system or to an extension.
_OURS: Final = (
    "JOIN pg_namespace n ON n.oid = o.{schema} WHERE {chosen}"
    " AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT EXISTS"
    " (SELECT 1 FROM pg_depend d WHERE d.objid = o.oid AND d.deptype = 'e')"
)


def _names(kind: str, catalog: str, schema: str, chosen: str) -> str:
    """Return the query for the names of things of a kind."""
    ours = _OURS.format(schema=schema, chosen=chosen)
    return f"SELECT o.oid::reg{kind}::text FROM {catalog} o {ours}"  # noqa: S608 - ours


def _relations(kinds: str) -> str:
    chosen = f"o.relkind IN ({kinds}) AND NOT o.relispartition"
    return _names("class", "pg_class", "relnamespace", chosen)


_TABLES: Final = _relations("'r', 'p'")
# Tables first, with what belongs to them.
_DROPPED: Final = (
    (_TABLES, "DROP TABLE IF EXISTS {} CASCADE"),
    (_relations("'v'"), "DROP VIEW IF EXISTS {} CASCADE"),
    (_relations("'m'"), "DROP MATERIALIZED VIEW IF EXISTS {} CASCADE"),
    (_relations("'S'"), "DROP SEQUENCE IF EXISTS {} CASCADE"),
    (
        _names("procedure", "pg_proc", "pronamespace", "true"),
        "DROP ROUTINE IF EXISTS {} CASCADE",
    ),
    (
        _names("type", "pg_type", "typnamespace", "o.typtype IN ('e', 'd', 'r')"),
        "DROP TYPE IF EXISTS {} CASCADE",
    ),
    (
        # Those of tables are gone.
        _names("type", "pg_type", "typnamespace", "o.typtype = 'c'"),
        "DROP TYPE IF EXISTS {} CASCADE",
    ),
)


def _wait(process: subprocess.Popen[bytes], has_stopped: Callable[[], bool]) -> bytes:
    """Return the errors of a process, once it has ended; end it if asked to stop."""
    while True:
        try:
            return process.communicate(timeout=_LOOK_EVERY_SECONDS)[1]
        except subprocess.TimeoutExpired:
            if has_stopped():
                process.terminate()
                raise ToolFailed("The server stopped.") from None


def _failure(tool: str, errors: bytes) -> str:
    lines = [line.strip() for line in errors.decode(errors="replace").splitlines()]
    told = [line for line in lines if "error:" in line] or lines[:1] or ["no reason"]
    reason = told[0].rpartition("error:")[2].strip().rstrip(".")[:_LONGEST_REASON]
    return f"{tool} failed: {reason}."
