"""Upgrades of an installation as the operator lives them: the copy before migrations,
the refusal of a newer database, the reset, backup and restore by hand."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.maintenance_commands import sqlite_database
from tests.site.host.processes import announced, start, stop
from tests.site.host.sqlite_files import leave_a_log
from tests.site.host.upgrades import (
    EARLIER,
    LATEST,
    content,
    copies,
    execute,
    forget,
    make_newer,
    make_older,
    make_older_still,
    run,
)

pytestmark = pytest.mark.process
AGENT = "SELECT id FROM accounts_user WHERE username = 'mcp-agent'"


def everything(folder):
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if not path.name.startswith(".") and path.suffix not in (".db-shm", ".db-wal")
    }


def test_a_first_start_takes_no_backup_and_a_second_neither(data):
    """HOST-097, HOST-104."""
    assert run(data, "startup").returncode == 0
    assert not (data / "backups").exists()


@pytest.mark.parametrize("name", ["startup", "migrate"])
def test_pending_migrations_are_preceded_by_a_copy_of_the_old_database(data, name):
    """HOST-100: the first of two gives the copy its name.

    HOST-018, HOST-075, HOST-098, HOST-101, HOST-102.
    """
    make_older(data)
    make_older_still(data)
    old = content(data / "db" / "platform.db")
    ended = run(data, name)
    assert ended.returncode == 0, ended.stderr
    (copy,) = copies(data, f"before-{'.'.join(EARLIER)}")
    assert content(copy) == old
    assert str(copy) in ended.stderr
    assert execute(data, "SELECT count(*) FROM django_session") == [(0,)]


def test_no_backups_are_taken_when_none_are_kept(data):
    """HOST-169."""
    make_older(data)
    assert run(data, "startup", Platform__Database__BackupsToKeep="0").returncode == 0
    assert not (data / "backups").exists()


@pytest.mark.parametrize(
    ("settings", "count"), [({}, 5), ({"Platform__Database__BackupsToKeep": "2"}, 2)]
)
def test_the_newest_backups_are_kept_as_many_as_is_set(data, settings, count):
    """HOST-046, HOST-168."""
    (data / "backups").mkdir()
    for day in range(1, 8):
        name = f"platform-2026010{day}T000000000000Z-before-catalogs.0001_initial.db"
        (data / "backups" / name).write_text(f"copy of day {day}")
    earlier = copies(data, "before-*")
    make_older(data)
    old = content(data / "db" / "platform.db")
    assert run(data, "startup", **settings).returncode == 0
    *others, newest = copies(data, "before-*")
    assert others == earlier[1 - count :]
    assert content(newest) == old


def test_a_backup_that_cannot_be_written_stops_before_migrating(data):
    """OPEN-107."""
    make_older(data)
    (data / "backups").write_text("a file where the folder should be")
    ended = run(data, "startup")
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert "backups" in ended.stderr.splitlines()[-1]
    assert execute(data, "SELECT count(*) FROM django_migrations WHERE app='sessions'")[
        0
    ] == (0,)


@pytest.mark.parametrize("name", ["startup", "migrate"])
def test_a_newer_database_is_refused_and_nothing_is_changed(data, name):
    """HOST-105 to HOST-107, HOST-164."""
    make_newer(data)
    # What a start would seed.
    execute(data, f"DELETE FROM accounts_user_groups WHERE user_id = ({AGENT})")
    execute(data, f"DELETE FROM accounts_user WHERE id = ({AGENT})")
    before = everything(data)
    ended = run(data, name)
    assert ended.returncode == 1
    assert "catalogs.9999_later" in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert everything(data) == before


def test_a_failed_migration_is_told_with_its_reason_and_the_copy(data):
    forget(data, LATEST)  # its table is there
    make_older_still(data)
    ended = run(data, "startup")
    assert ended.returncode == 1
    told = ended.stderr.splitlines()[-1]
    assert told.startswith("The migration sessions.0001_initial failed: ")
    assert "already exists. It was rolled back; 1 before it stay applied." in told
    (copy,) = copies(data, "before-*")
    assert f"restore {copy} (" in told
    assert "Traceback" not in ended.stderr


def test_plain_migrate_does_not_reset(data):
    make_newer(data)
    ended = run(data, "migrate", Platform__Database__ResetToken="spring")
    assert ended.returncode == 1
    assert not (data / "backups").exists()


def test_a_reset_leaves_seeded_accounts_only_and_spares_files_and_keys(data):
    """HOST-047, HOST-076, HOST-108 to HOST-111, HOST-121, HOST-122."""
    blob = data / "blobs" / "file"
    blob.parent.mkdir()
    blob.write_text("attachment")
    key = (data / "keys" / "jwt-signing.key").read_bytes()
    execute(data, "UPDATE accounts_user SET first_name = 'mine'")
    make_newer(data)
    for _ in range(2):
        ended = run(data, "startup", Platform__Database__ResetToken="spring")
        assert ended.returncode == 0, ended.stderr
    assert blob.read_text() == "attachment"
    assert (data / "keys" / "jwt-signing.key").read_bytes() == key
    found = execute(data, "SELECT username, first_name FROM accounts_user")
    assert sorted(found) == [("admin", ""), ("jobs-scheduler", ""), ("mcp-agent", "")]
    (copy,) = copies(data, "before-reset")
    with closing(sqlite3.connect(copy)) as database:
        kept = database.execute("SELECT first_name FROM accounts_user").fetchall()
    assert set(kept) == {("mine",)}
    assert (data / "backups" / "reset-tokens.txt").read_text() == "spring\n"


def test_a_reset_saves_the_database_even_where_no_backups_are_kept(data):
    """HOST-169."""
    old = content(data / "db" / "platform.db")
    settings = {"ResetToken": "spring", "BackupsToKeep": "0"}
    named = {f"Platform__Database__{name}": text for name, text in settings.items()}
    assert run(data, "startup", **named).returncode == 0
    (copy,) = copies(data, "*")
    assert copy.name.endswith("-before-reset.db")
    assert content(copy) == old


def test_the_policy_resets_only_a_database_that_is_not_understood(data):
    """HOST-048, HOST-112 to HOST-114."""
    policy = {"Platform__Database__IncompatibleHistory": "Reset"}
    assert run(data, "startup", **policy).returncode == 0
    assert not (data / "backups").exists()
    make_newer(data)
    assert run(data, "startup", **policy).returncode == 0
    assert len(copies(data, "before-reset")) == 1


def by_copying(data, copy):
    """Do as the hosting page says: copy over, delete the log."""
    database = data / "db" / "platform.db"
    shutil.copyfile(copy, database)
    for end in ("-wal", "-shm"):
        database.with_name(database.name + end).unlink(missing_ok=True)


def by_command(data, copy):
    ended = run(data, "restore", str(copy))
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("restore", [by_copying, by_command])
def test_a_restored_backup_brings_the_previous_state_back(data, restore):
    """HOST-123: data, a copy, an upgrade and more work, and all of it taken back."""
    ended = run(data, "import_package", "demo-company")
    assert ended.returncode == 0, ended.stderr
    make_older(data)
    old = content(data / "db" / "platform.db")
    assert run(data, "startup").returncode == 0
    execute(data, "UPDATE catalogs_item SET name = 'later'")
    assert content(data / "db" / "platform.db") != old
    leave_a_log(data / "db" / "platform.db", "UPDATE catalogs_item SET name = 'last'")
    restore(data, copies(data, "before-*")[0])
    assert content(data / "db" / "platform.db") == old
    # The version that was restored is this one's predecessor, which this one continues.
    assert run(data, "startup").returncode == 0
    names = execute(data, "SELECT name FROM catalogs_item")
    assert names
    assert not {("later",), ("last",)} & set(names)


def test_the_commands_backup_and_restore_bring_the_previous_state_back(data):
    made = run(data, "backup", str(data.parent / "mine.db"))
    assert made.returncode == 0, made.stderr
    old = content(data / "db" / "platform.db")
    execute(data, "UPDATE accounts_user SET first_name = 'later'")
    ended = run(data, "restore", str(data.parent / "mine.db"))
    assert ended.returncode == 0, ended.stderr
    assert content(data / "db" / "platform.db") == old
    (saved,) = copies(data, "before-restore")
    assert str(saved) in ended.stdout
    assert content(saved) != old


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("backup", "{data}/db/platform.db"), "exists already"),
        (("backup", "{data}/no/such/folder.db"), "No such file"),
        (("restore", "{data}/nothing.db"), "cannot be read: No such file"),
        (("restore", "{data}/keys/jwt-signing.key"), "readable SQLite database"),
    ],
)
def test_what_backup_and_restore_cannot_do_is_a_sentence(data, arguments, words):
    before = everything(data)
    ended = run(data, *(text.format(data=data) for text in arguments))
    assert ended.returncode == 1
    assert words in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert everything(data) == before


def test_a_database_on_a_server_is_left_to_the_servers_tools(tmp_path):
    given = {
        "Platform__DataPath": str(tmp_path),
        "Provider": "PostgreSql",
        "ConnectionStrings__PostgreSql": "Host=127.0.0.1;Database=x",
    }
    with pytest.raises(StartRefusedError, match="on the server"):
        sqlite_database(build(read_settings(given)))


def test_a_database_that_is_being_served_is_backed_up_but_not_restored(data):
    served = start(data)
    try:
        announced(served)
        assert run(data, "backup", str(data.parent / "live.db")).returncode == 0
        ended = run(data, "restore", str(data.parent / "live.db"))
        assert ended.returncode == 1
        assert "is running" in ended.stderr.splitlines()[-1]
        assert served.get("/health/ready")[0] == 200
    finally:
        stop(served)
