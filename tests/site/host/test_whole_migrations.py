"""A migration and its record are one: no moment between them can be met by a crash."""

from __future__ import annotations

import logging
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.operations import CreateModel
from django.db.migrations.recorder import MigrationRecorder

from platform_site.settings.configuration import active
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host import way_back
from platform_site.site.host.way_back import after_failed_migration

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


def refused(*targets):
    """Return what the command says when a migration finds its table there."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE django_session (x integer)")
    with pytest.raises(StartRefusedError) as refusal:
        call_command("migrate", *targets, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE django_session")
    return str(refusal.value)


@pytest.mark.usefixtures("without_sessions")
def test_a_failed_migration_is_named_with_its_reason_and_the_way_on():
    told = refused("sessions")
    assert told.startswith("The migration sessions.0001_initial failed: ")
    assert "already exists. It was rolled back, so the database is as it was" in told
    call_command("migrate", "sessions", verbosity=0)


def test_after_others_the_backup_to_go_back_to_is_named(monkeypatch):
    name = "platform-20260101T000000000000Z-all.tar.gz"
    backup = active().data_folder / "backups" / name
    monkeypatch.setattr(way_back, "newest_backup", lambda configuration: backup)
    done = after_failed_migration(active(), is_rolled_back=True, before=2)
    assert "It was rolled back; 2 before it stay applied." in done
    assert f"{backup} (" in done
    half = after_failed_migration(active(), is_rolled_back=False, before=0)
    assert "a part of it may be done; 0 before it stay applied." in half


@pytest.mark.usefixtures("without_sessions")
def test_a_mistake_in_a_migration_is_told_too_and_its_place_is_logged(caplog):
    def mistaken(*_arguments):
        raise ValueError("Not a row of mine.")

    with (
        patch.object(CreateModel, "database_forwards", mistaken),
        caplog.at_level(logging.ERROR, logger="platform.host"),
        pytest.raises(StartRefusedError, match=r"failed: Not a row of mine\. It was"),
    ):
        call_command("migrate", "sessions", verbosity=0)
    assert "in mistaken" in caplog.text


@pytest.mark.usefixtures("without_sessions")
def test_references_are_enforced_again_afterwards():
    if connection.vendor != "sqlite":
        pytest.skip("Only SQLite switches them off.")
    call_command("migrate", "sessions", verbosity=0)
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA foreign_keys").fetchone() == (1,)
