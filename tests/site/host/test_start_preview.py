"""What `startup --check` says of the next start, and that it changes nothing."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from filelock import FileLock

from platform_site import __version__
from platform_site.settings.configuration import active, build
from platform_site.settings.env import read_settings
from platform_site.site.host import start_preview
from platform_site.site.host.archive_folder import ArchiveState, write_state
from platform_site.site.host.last_start import last_start
from platform_site.site.host.start_preview import preview_start
from tests.site.host.processes import command, environment


def content(folder):
    """Return what is in a folder; the lock's file may be touched, but has no content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def previewed(data, **environ):
    given = {"Platform__DataPath": str(data), **environ}
    before = content(data) if data.is_dir() else None
    found = preview_start(build(read_settings(given)))
    assert (content(data) if data.is_dir() else None) == before
    return found


def without_the_last_migration(data):
    with closing(sqlite3.connect(data / "db" / "platform.db")) as database:
        database.execute("DELETE FROM django_migrations WHERE app = 'welcome'")
        database.commit()


def test_a_first_start_would_make_everything(tmp_path):
    found = previewed(tmp_path / "data")
    assert not found.refusals
    text = " ".join(found.work)
    for made in ("data folder", "platform.db is created", "jwt-signing.key is made"):
        assert made in text


def test_a_start_of_the_same_version_would_do_nothing(data):
    found = previewed(data)
    assert (found.work, found.refusals) == ([], [])
    assert f"Version: {__version__}, as at the last start" in found.facts
    assert "Database: up to date" in found.facts
    assert last_start(data).version == __version__


def test_an_upgrade_would_migrate_after_a_backup(data):
    without_the_last_migration(data)
    record = data / "db" / "last-start.json"
    record.write_text(record.read_text().replace(__version__, "0.1.0"))
    found = previewed(data)
    version, migrations, backup = found.work
    assert version == f"Version 0.1.0 becomes {__version__}."
    assert migrations == "Migrations are applied (1): welcome.0001_initial."
    assert backup.startswith("A backup is made before them:")


def test_a_backup_without_room_would_refuse_the_start(data, monkeypatch):
    without_the_last_migration(data)
    usage = start_preview.shutil._ntuple_diskusage(1000, 1000, 10)
    monkeypatch.setattr(start_preview.shutil, "disk_usage", lambda path: usage)
    [refused] = previewed(data).refusals
    assert refused.startswith("There is no room for the backup:")


def test_a_newer_database_would_be_refused(data):
    with closing(sqlite3.connect(data / "db" / "platform.db")) as database:
        sentence = (
            "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '')"
        )
        database.execute(sentence, ["importer", "9999_newer"])
        database.commit()
    [refused] = previewed(data).refusals
    assert "importer.9999_newer" in refused


def test_a_missing_or_damaged_database_would_be_refused(data, settings):
    settings.PLATFORM_DATABASE_MUST_EXIST = True
    (data / "db" / "platform.db").write_bytes(b"no database")
    assert "is damaged" in previewed(data).refusals[0]
    (data / "db" / "platform.db").unlink()
    refused = previewed(data).refusals[0]
    assert "There is no database" in refused
    assert str(data / "keys" / "jwt-signing.key") in refused


def test_a_lost_database_is_told_with_what_exists_and_the_newest_backup(data):
    database = data / "db" / "platform.db"
    (data / "backups").mkdir()
    backup = data / "backups" / "platform-20260101T000000000000Z-by-hand.db"
    database.rename(backup)
    found = previewed(data)
    assert found.work == [f"The database {database} is created."]
    [warning] = [one for one in found.warnings if "an empty one is created" in one]
    assert str(data / "keys" / "jwt-signing.key") in warning
    assert f"The newest intact backup is {backup}" in warning
    assert not (data / "db" / "started-empty.json").exists()


def test_a_reset_a_running_server_and_warnings_are_told(data):
    with FileLock(data / "db" / ".instance.lock"):
        found = previewed(
            data,
            Platform__Database__ResetToken="once",
            Platform__Unknown="x",
        )
    assert "A server is running; the start needs it to be stopped." in found.facts
    assert any("RESET" in line for line in found.work)
    assert any("Platform:Unknown" in line for line in found.warnings)


@pytest.mark.process
def test_the_command_prints_it_and_says_so_by_its_exit_code(data):
    done = command("startup", "--check", env=environment(data))
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("A start would change nothing.\n")
    without_the_last_migration(data)
    before = content(data)
    done = command("startup", "--check", env=environment(data))
    assert done.returncode == 3
    assert "  - Migrations are applied (1): welcome.0001_initial.\n" in done.stdout
    assert content(data) == before


@pytest.mark.django_db
def test_the_database_of_a_server_is_looked_at_too():
    found = start_preview.StartPreview()
    start_preview._look_at_server(active(), found)
    assert (found.facts, found.work) == (["Database: up to date"], [])
    assert found.warnings == []


@pytest.mark.django_db
def test_a_server_with_pending_migrations_is_warned_of(tmp_path):
    MigrationRecorder(connection).record_unapplied("welcome", "0001_initial")
    found = start_preview.StartPreview()
    without_backups = replace(active(), data_folder=tmp_path)
    start_preview._look_at_server(without_backups, found)
    [warning] = found.warnings
    assert "There is no backup in" in warning
    assert "Run backup --all with the version that is in use now first." in warning


@pytest.mark.django_db
def test_an_empty_database_of_a_server_beside_backups_is_warned_of(tmp_path):
    MigrationRecorder(connection).migration_qs.delete()
    (tmp_path / "backups").mkdir()
    archive = tmp_path / "backups" / "platform-20260101T000000000000Z-all.tar.gz"
    archive.write_bytes(b"not read")
    write_state(archive, ArchiveState(verified_at="2026-01-01T00:00:00+00:00"))
    given = {
        "Platform__DataPath": str(tmp_path),
        "Provider": "PostgreSql",
        "ConnectionStrings__PostgreSql": "Host=127.0.0.1;Database=erp",
    }
    found = start_preview.StartPreview()
    start_preview._look_at_server(build(read_settings(given)), found)
    [warning] = found.warnings
    assert f"earlier installation exist: {tmp_path / 'backups'}." in warning
    assert f"The newest backup is {archive}," in warning
