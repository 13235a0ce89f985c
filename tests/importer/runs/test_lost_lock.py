"""An import that loses its lock stops, because another may have begun."""

from __future__ import annotations

import pytest
from django.db import connection, connections

from catalogs.models import UnitOfMeasure
from importer.runs import running
from tests.builders import units

pytestmark = pytest.mark.django_db(transaction=True)

HOLDERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
    " AND granted AND database ="
    " (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def lose_the_lock():
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute(HOLDERS)
            assert cursor.fetchone() == (True,)
    finally:
        other.close()


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="A locked file cannot be lost."
)
def test_a_run_that_loses_its_lock_ends_as_interrupted(run, monkeypatch):
    monkeypatch.setattr(running, "_BETWEEN_SAMPLES", 0)

    def lose_it_once(stage, done, total):
        if (stage, done) == ("importing", 1):
            lose_the_lock()

    report = run(units("a", "b", "c"), progress=lose_it_once)
    assert report.status == "Interrupted"
    assert any("was lost" in told.message for told in report.diagnostics)
    assert not UnitOfMeasure.objects.filter(code="c").exists()
    assert run(units("a", "b", "c")).status == "Completed"
    assert UnitOfMeasure.objects.count() == 3
