"""Whether a server is ready, as a probe of its process sees it."""

from __future__ import annotations

import pytest

from tests.first_start import started_once
from tests.journeys.installation import wait_until
from tests.site.host.processes import announced, start, stop

pytestmark = pytest.mark.process


def test_readiness_follows_migrations_and_the_database_file(tmp_path):
    """HOST-125, HOST-128, HOST-129, HOST-162."""
    served = start(started_once(tmp_path / "data"))

    def ready():
        return served.get("/health/ready")[::2]

    try:
        announced(served)
        with served.database() as database:
            row = database.execute(
                "SELECT app, name FROM django_migrations WHERE app = 'sessions'"
            ).fetchone()
            database.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
        wait_until(lambda: ready() == (503, "Unhealthy"), served.process)
        with served.database() as database:
            database.execute(
                "INSERT INTO django_migrations (app, name, applied) "
                "VALUES (?, ?, '2026-01-01')",
                row,
            )
        wait_until(lambda: ready() == (200, "Healthy"), served.process)
        moved = (served.data / "db").rename(served.data / "elsewhere")
        wait_until(lambda: ready() == (503, "Unhealthy"), served.process)
        assert served.get("/health/live")[::2] == (200, "Healthy")
        moved.rename(served.data / "db")
        wait_until(lambda: ready() == (200, "Healthy"), served.process)
    finally:
        stop(served)
    log = (tmp_path / "stderr.txt").read_text(encoding="utf-8")
    assert "migrations are pending" in log
    assert "is missing" in log
