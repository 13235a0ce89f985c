"""What a start says of the way back from an upgrade: the newest backup, and the one from
before the upgrade."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db.migrations import Migration

from platform_site import __version__
from platform_site.settings.configuration import build
from platform_site.settings.connections import Provider
from platform_site.settings.env import read_settings
from platform_site.site.host import before_migrations
from platform_site.site.host.archive_folder import (
    ArchiveState,
    archive_name,
    write_state,
)
from platform_site.site.host.backups import copy_name
from platform_site.site.host.before_migrations import guard
from platform_site.site.host.start_preview import preview_start
from platform_site.site.host.way_back import told_backup_before, told_newest_backup
from tests.site.host.upgrades import execute

SERVER = {
    "Provider": "PostgreSql",
    "ConnectionStrings__PostgreSql": "Host=127.0.0.1;Database=erp",
}
LATER = ("catalogs", "9999_later")


def now():
    """Return the time; that of the import of this module may be long ago."""
    return datetime.now(UTC)


def configured(data, **environ):
    return build(read_settings({"Platform__DataPath": str(data), **environ}))


def archive(data, age, *, version=__version__, good=True):
    """Put an archive into its folder; nobody reads it."""
    (data / "backups").mkdir(parents=True, exist_ok=True)
    path = data / "backups" / archive_name(now() - age, encrypted=False)
    path.write_bytes(b"not read")
    state = ArchiveState(version=version, verified_at=now().isoformat() if good else "")
    write_state(path, state)
    return path


def copy(data, age, *migrations):
    """Make a copy of a database with these migrations."""
    (data / "backups").mkdir(parents=True, exist_ok=True)
    path = data / "backups" / copy_name("before-catalogs.0001_initial", now() - age)
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE django_migrations (app, name, applied)")
        statement = "INSERT INTO django_migrations VALUES (?, ?, '')"
        database.executemany(statement, migrations)
        database.commit()
    return path


@pytest.mark.parametrize(
    ("age", "told"),
    [
        (timedelta(seconds=70), "1 minute"),
        (timedelta(minutes=100), "100 minutes"),
        (timedelta(hours=30), "30 hours"),
        (timedelta(days=3), "3 days"),
    ],
)
def test_the_newest_good_archive_is_told_with_its_age(tmp_path, age, told):
    newest = archive(tmp_path, age)
    archive(tmp_path, timedelta(seconds=1), good=False)
    archive(tmp_path, timedelta(days=9))
    copy(tmp_path, timedelta(seconds=1))  # of SQLite, which a server can't use
    sentence = told_newest_backup(configured(tmp_path, **SERVER))
    assert sentence == f"The newest backup is {newest}, {told} old."


def test_it_is_told_that_there_is_none(tmp_path):
    told = told_newest_backup(configured(tmp_path, **SERVER))
    assert told.startswith(f"There is no backup in {tmp_path / 'backups'}")


def test_sql_server_has_no_archives_and_is_pointed_at_its_own_backups(tmp_path):
    archive(tmp_path, timedelta(hours=1))
    configuration = configured(tmp_path)
    # Its library needn't be installed.
    server = replace(configuration.connection, provider=Provider.SQL_SERVER)
    told = told_newest_backup(replace(configuration, connection=server))
    assert told == "Only a backup made on its server leads back."


def test_the_backup_from_before_an_upgrade_of_a_server_is_the_newest_older_archive(
    tmp_path,
):
    archive(tmp_path, timedelta(days=2))
    fitting = archive(tmp_path, timedelta(hours=30))
    archive(tmp_path, timedelta(hours=29), version="99.0.0")
    archive(tmp_path, timedelta(hours=5))
    configuration = configured(tmp_path, **SERVER)
    told = told_backup_before(configuration, [LATER], now() - timedelta(hours=20))
    assert f"{fitting}, 30 hours old" in told
    assert f"restore --replace {fitting};" in told
    told = told_backup_before(configuration, [LATER], now() - timedelta(days=9))
    assert told.startswith(f"No such backup is in {tmp_path / 'backups'}")


def test_without_the_time_of_the_upgrade_the_version_of_an_archive_decides(tmp_path):
    fitting = archive(tmp_path, timedelta(hours=30))
    archive(tmp_path, timedelta(hours=3), version="")
    archive(tmp_path, timedelta(hours=2), version="99.0.0")
    told = told_backup_before(configured(tmp_path, **SERVER), [LATER], None)
    assert f"restore --replace {fitting};" in told


def test_a_copy_fits_only_without_the_migrations_of_the_upgrade(tmp_path):
    fitting = copy(tmp_path, timedelta(hours=30), ("catalogs", "0001_initial"))
    copy(tmp_path, timedelta(hours=20), ("catalogs", "0001_initial"), LATER)
    copy(tmp_path, timedelta(hours=3)).write_bytes(b"damaged")
    told = told_backup_before(configured(tmp_path), [LATER], None)
    assert f"restore {fitting};" in told


def test_a_newer_database_is_refused_with_the_copy_from_before(data):
    execute(
        data,
        "INSERT INTO django_migrations (app, name, applied)"
        f" VALUES ('catalogs', '9999_later', '{now():%Y-%m-%d %H:%M:%S}')",
    )
    archive(data, timedelta(hours=-1))
    fitting = archive(data, timedelta(hours=2))
    [refused] = preview_start(configured(data)).refusals
    assert "catalogs.9999_later" in refused
    assert f"restore {fitting};" in refused


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change", [{"database_file": lambda connection: None}, {"keep": 0}]
)
def test_migrations_without_a_copy_are_preceded_by_a_warning(
    settings, monkeypatch, caplog, change
):
    """A database on a server, and SQLite where no copies are kept."""
    if "keep" in change:
        settings.PLATFORM_BACKUPS_TO_KEEP = 0
    else:
        monkeypatch.setattr(before_migrations, "database_file", change["database_file"])
    pending = Migration("0002_next", "catalogs")
    with caplog.at_level(logging.WARNING, logger="platform.host"):
        guard(using="default", plan=[])
    assert caplog.text == ""
    with caplog.at_level(logging.WARNING, logger="platform.host"):
        guard(using="default", plan=[(pending, False)])
    assert "isn't copied before the migrations. There is no backup in" in caplog.text


def test_the_preview_of_migrations_without_a_copy_names_the_command(data, settings):
    settings.PLATFORM_BACKUPS_TO_KEEP = 0
    execute(data, "DELETE FROM django_migrations WHERE app = 'welcome'")
    newest = archive(data, timedelta(hours=5))
    found = preview_start(configured(data))
    [warning] = [one for one in found.warnings if "doesn't copy" in one]
    assert f"The newest backup is {newest}, 5 hours old. Run backup --all" in warning
    assert not any("A backup is made" in line for line in found.work)
