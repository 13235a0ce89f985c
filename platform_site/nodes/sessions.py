"""The database sessions of a node: a node that froze or is cut off loses all of them, so
that its open transactions don't block the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

from importer.services import database_lock
from platform_site.settings.several_nodes import SESSIONS

# The key of the locks.
_JOB: Final = 0x4A4F4253 + 1
_POSITIVE: Final = 0x7FFFFFFF
_END: Final = (
    "SELECT pg_terminate_backend(other.pid) FROM pg_stat_activity other"
    " WHERE other.datname = current_database()"
    # If only the worker of this node was late, its sessions stay.
    " AND other.application_name <> current_setting('application_name')"
    " AND other.application_name IN ("
    " SELECT holder.application_name FROM pg_locks l"
    " JOIN pg_stat_activity holder USING (pid)"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.classid = %s AND l.objid = %s"
    " AND holder.datname = current_database()"
    " AND starts_with(holder.application_name, %s))"
)


@contextmanager
def doing(job: int) -> Iterator[None]:
    """Show inside the block which sessions are those of the node that does a job."""
    with database_lock(_JOB, number=job & _POSITIVE) as lock:
        lock.take()
        yield


def end_sessions_of(job: int) -> None:
    """End the sessions of the node that does a job, if it still has any."""
    with connection.cursor() as cursor:
        cursor.execute(_END, [_JOB, job & _POSITIVE, SESSIONS])
