"""Jobs in the real server: one set up by another process fires without a restart."""

from __future__ import annotations

import json
import time

import pytest

from tests.first_start import started_once
from tests.site.host.test_serve import LIMIT_SECONDS, announced, start, stop

pytestmark = pytest.mark.process

JOB = """
INSERT INTO scheduling_job (name, processor, input, cron, interval_seconds, time_zone,
    run_as_id, enabled, since)
SELECT 'every second', 'ImportItemsFromCsv', '{}', '', 1, '', id, 1,
    '2026-01-01 00:00:00' FROM accounts_user WHERE username = 'admin'
"""
EXECUTIONS = """
SELECT status, message, started_by, run_as, result FROM scheduling_jobexecution
WHERE finished_at IS NOT NULL ORDER BY id
"""


def executions(served, *, more_than):
    """Wait for the server's jobs to run; a failing test ends at the limit."""
    limit = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < limit:
        with served.database() as database:
            rows = database.execute(EXECUTIONS).fetchall()
        if len(rows) > more_than:
            return rows
        # The answer of the server is all there is to wait for.
        served.get("/health/live")
    raise AssertionError((served.data.parent / "stderr.txt").read_text("utf-8"))


def test_a_job_fires_in_the_server_and_a_file_processor_has_no_file(tmp_path):
    """HOST-030."""
    served = start(started_once(tmp_path / "data"))
    try:
        announced(served)
        with served.database() as database:
            jobs = database.execute("SELECT count(*) FROM scheduling_job").fetchone()
            assert jobs == (0,)
            database.execute(JOB)
        for status, message, started_by, run_as, result in executions(
            served, more_than=1
        ):
            assert (status, message) == ("Failed", "No file chosen.")
            assert (started_by, run_as) == ("jobs-scheduler", "admin")
            assert json.loads(result) == {}
    finally:
        assert stop(served) == 0
    again = start(tmp_path / "data")
    try:
        announced(again)
        with again.database() as database:
            before = len(database.execute(EXECUTIONS).fetchall())
        executions(again, more_than=before)
    finally:
        assert stop(again) == 0
    log = (tmp_path / "stderr.txt").read_text(encoding="utf-8")
    assert "Traceback" not in log
