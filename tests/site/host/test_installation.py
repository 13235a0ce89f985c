"""Commands that find no installation, and a new one where an upgrade deletes it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.management import call_command, get_commands
from django.db import OperationalError

from platform_site.management.commands import restore as restore_command
from platform_site.settings.configuration import build
from platform_site.settings.env import read_settings
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host import installation, start_preview, startup
from platform_site.site.host.installation import (
    NEEDS_DATABASE,
    NEEDS_TABLES,
    require_installation,
    warning_of_program_folder,
)
from platform_site.site.host.sqlite_file import create_database
from tests.authorization.test_commands import AS_A_PERSON, AS_THE_PRODUCT, BY_KEY
from tests.site.host.processes import command, environment
from tests.site.host.test_command_rules import HARMLESS
from tests.site.host.upgrades import execute

# Looked at one by one: these make a database, or need none.
WORK_WITHOUT = {
    "create_backup_key",
    "import_schema",
    "issue_licence",
    "maintenance",
    "migrate",
    "publish",
    "restore",
    "rotate_key",
    "seed_demo",
    "serve",
    "show_settings",
    "start_module",
    "startup",
    "test_mail",
    "verify_backup",
}
SERVER = {
    "Provider": "PostgreSql",
    "ConnectionStrings__PostgreSql": "Host=127.0.0.1;Database=erp",
}


def configured(data, **environ):
    return build(read_settings({"Platform__DataPath": str(data), **environ}))


def refused(configuration, name):
    with pytest.raises(StartRefusedError) as refusal:
        require_installation(["manage.py", name], configuration)
    return str(refusal.value)


def test_every_command_was_looked_at():
    own = AS_A_PERSON | BY_KEY | AS_THE_PRODUCT
    assert own - NEEDS_DATABASE == WORK_WITHOUT
    assert NEEDS_DATABASE - own <= HARMLESS
    assert set(get_commands()) > NEEDS_DATABASE


@pytest.mark.parametrize("name", sorted(NEEDS_DATABASE))
def test_a_command_without_a_database_says_where_it_looked(tmp_path, name):
    told = refused(configured(tmp_path), name)
    assert told.startswith(f"{name} needs the database of an installation, but the ")
    assert f"{tmp_path / 'db' / 'platform.db'} doesn't exist." in told
    assert f"{tmp_path} (variable Platform__DataPath): run commands with the" in told
    assert list(tmp_path.iterdir()) == []
    require_installation(["manage.py", name, "--help"], configured(tmp_path))


def test_the_default_folder_is_named_as_such(tmp_path):
    configuration = replace(build(read_settings({})), data_folder=tmp_path)
    gone = {**configuration.connection.entry, "NAME": str(tmp_path / "none.db")}
    configuration = replace(
        configuration, connection=replace(configuration.connection, entry=gone)
    )
    assert f"{tmp_path} (built-in default)" in refused(configuration, "backup")


def test_a_database_without_tables_is_none(tmp_path):
    (tmp_path / "db").mkdir()
    create_database(tmp_path / "db" / "platform.db")
    told = refused(configured(tmp_path), "reset_admin")
    assert "has no tables of this platform" in told


def test_a_damaged_database_is_told_as_a_start_tells_it(tmp_path):
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "platform.db").write_bytes(b"no database" * 100)
    assert "is damaged" in refused(configured(tmp_path), "reset_admin")


def test_pending_migrations_stop_all_but_a_backup(data):
    execute(data, "DELETE FROM django_migrations WHERE app = 'welcome'")
    told = refused(configured(data), "reset_admin")
    assert "migrations are pending" in told
    assert "(1): welcome.0001_initial." in told
    require_installation(["manage.py", "backup"], configured(data))


def test_nothing_is_said_of_a_database_of_this_version(data):
    for name in NEEDS_TABLES:
        require_installation(["manage.py", name], configured(data))
    require_installation(["manage.py"], configured(data))


def test_a_server_that_is_away_is_a_sentence(tmp_path, monkeypatch):
    def away():
        raise OperationalError("connection refused\n")

    monkeypatch.setattr(installation, "_recorded_on_the_server", away)
    told = refused(configured(tmp_path, **SERVER), "reset_admin")
    assert told.startswith("The database cannot be used: connection refused. Check")
    monkeypatch.setattr(installation, "_recorded_on_the_server", set)
    told = refused(configured(tmp_path, **SERVER), "reset_admin")
    assert "the database erp has no tables of this platform" in told


def test_a_new_installation_in_a_published_folder_gives_a_warning(tmp_path):
    by_default = replace(build(read_settings({})), data_folder=tmp_path)
    assert warning_of_program_folder(by_default, tmp_path) == ""  # a checkout
    (tmp_path / "runtime.json").write_text("{}")
    told = warning_of_program_folder(by_default, tmp_path)
    assert f"the program folder {tmp_path}, which an upgrade replaces" in told
    assert "Platform__DataPath" in told
    assert warning_of_program_folder(configured(tmp_path), tmp_path) == ""
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "jwt-signing.key").write_text("k" * 60)
    assert warning_of_program_folder(by_default, tmp_path) == ""


def test_a_start_its_preview_and_a_restore_give_that_warning(
    tmp_path, monkeypatch, caplog, capsys
):
    configuration = configured(tmp_path)
    monkeypatch.setattr(restore_command, "active", lambda: configuration)
    for module in (startup, start_preview, restore_command):
        told = f"Careful, {module.__name__}."
        monkeypatch.setattr(
            module, "warning_of_program_folder", lambda _configuration, told=told: told
        )
    startup.prepare_database(configuration)
    assert "Careful, platform_site.site.host.startup." in caplog.text
    found = start_preview.preview_start(configuration).warnings
    assert "Careful, platform_site.site.host.start_preview." in found
    with pytest.raises(StartRefusedError):
        call_command("restore", str(tmp_path / "none.db"))
    assert "Warning: Careful, platform_site.management" in capsys.readouterr().err


@pytest.mark.process
def test_a_command_with_other_settings_than_the_server_ends_with_a_sentence(tmp_path):
    ended = command("reset_admin", env=environment(tmp_path / "none"))
    assert ended.returncode == 1
    [line] = ended.stderr.splitlines()
    assert "above all the variable Platform__DataPath" in line
    assert not (tmp_path / "none").exists()
    assert command("show_settings", env=environment(tmp_path / "none")).returncode == 0
