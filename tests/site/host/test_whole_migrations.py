"""A migration and its record are one: no moment between them can be met by a crash."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db(transaction=True)


class Crash(BaseException):
    """Stand for the sudden end of the process."""


@pytest.fixture
def without_sessions(settings, tmp_path):
    settings.PLATFORM_DATA_FOLDER = tmp_path
    call_command("migrate", "sessions", "zero", verbosity=0)
    yield
    call_command("migrate", verbosity=0)


def migrate_to_a_crash(monkeypatch, name, *target):
    def crash(*_arguments):
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(MigrationRecorder, name, crash)
        with pytest.raises(Crash):
            call_command("migrate", "sessions", *target, verbosity=0)


def has_table():
    return "django_session" in connection.introspection.table_names()


@pytest.mark.usefixtures("without_sessions")
def test_a_crash_before_the_record_leaves_no_tables(monkeypatch):
    migrate_to_a_crash(monkeypatch, "record_applied")
    assert not has_table()
    call_command("migrate", "sessions", verbosity=0)
    assert has_table()


@pytest.mark.usefixtures("without_sessions")
def test_a_crash_on_the_way_back_keeps_the_tables(monkeypatch):
    call_command("migrate", "sessions", verbosity=0)
    migrate_to_a_crash(monkeypatch, "record_unapplied", "zero")
    assert has_table()


@pytest.mark.usefixtures("without_sessions")
def test_references_are_enforced_again_afterwards():
    if connection.vendor != "sqlite":
        pytest.skip("Only SQLite switches them off.")
    call_command("migrate", "sessions", verbosity=0)
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA foreign_keys").fetchone() == (1,)
