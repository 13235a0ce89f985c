"""A data folder as an operator finds it before an upgrade, and what may be looked at
afterwards."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

from tests.site.host.processes import command, environment

LATEST = ("sessions", "0001_initial")
# Of another app, and applied before that one.
EARLIER = ("notifications", "0005_webhook_disabled")


def run(data, *arguments, **more):
    return command(*arguments, env=environment(data, **more))


def execute(data, statement, *values):
    with closing(sqlite3.connect(data / "db" / "platform.db")) as database:
        rows = database.execute(statement, values).fetchall()
        database.commit()
        return rows


def make_older(data):
    """Take the newest migration of one app back, as the version before had it."""
    execute(data, "DROP TABLE django_session")
    forget(data, LATEST)


def make_older_still(data):
    """Take one more migration back, which is then the first that is pending."""
    # On SQLite it changes nothing.
    forget(data, EARLIER)


def forget(data, migration):
    """Remove the record of a migration."""
    statement = "DELETE FROM django_migrations WHERE (app, name) = (?, ?)"
    execute(data, statement, *migration)


def make_newer(data):
    execute(
        data,
        "INSERT INTO django_migrations (app, name, applied)"
        " VALUES ('catalogs', '9999_later', '2026-01-01')",
    )


def content(path):
    """Return a hash of everything a database holds."""
    with closing(sqlite3.connect(path)) as database:
        return hashlib.sha256("\n".join(database.iterdump()).encode()).hexdigest()


def copies(data, occasion):
    return sorted((data / "backups").glob(f"platform-*-{occasion}.db"))
