"""The commands about archives as an operator calls them: names of files, and what they
say."""

from __future__ import annotations

import io
import os

import pytest
from django.core.management import call_command

from platform_site.management.commands import backup, restore, rotate_key
from platform_site.settings.errors import StartRefusedError
from platform_site.site.archives.encryption import new_identity
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.making import make_archive
from platform_site.site.archives.reading import read_archive

pytestmark = pytest.mark.django_db
PASSPHRASE = "six words that nobody would guess"
RECIPIENT = new_identity()[1]


@pytest.fixture
def command(installation, monkeypatch):
    """Return how a command is called for the installation."""
    for module in (backup, restore, rotate_key):
        monkeypatch.setattr(module, "active", lambda: installation.configuration)

    def called(name, *arguments):
        out = io.StringIO()
        call_command(name, *map(str, arguments), stdout=out)
        return out.getvalue()

    return called


@pytest.mark.parametrize(
    ("name", "passphrase", "arguments", "sentence"),
    [
        ("a.tar.gz", PASSPHRASE, ["--all"], "must end in .age: a.tar.gz.age."),
        ("a.tar.gz.age", "", ["--all"], "a.tar.gz.age wouldn't be encrypted"),
        ("a.db.age", PASSPHRASE, [], "is never encrypted. Add --all"),
    ],
    ids=["encrypted", "plain", "database"],
)
def test_a_name_that_tells_something_else_than_the_file_is_is_refused(
    installation, command, tmp_path, name, passphrase, arguments, sentence
):
    installation.variables["Backup__Passphrase"] = passphrase
    file = tmp_path / name
    with pytest.raises(StartRefusedError, match=sentence):
        command("backup", file, *arguments)
    assert not file.exists()


def test_an_archive_that_only_others_can_open_was_not_read_again(
    installation, command, tmp_path
):
    assert "and read again: " in command("backup", "--all", tmp_path / "a.tar.gz")
    installation.variables["Backup__Recipients__0"] = RECIPIENT
    said = command("backup", "--all", tmp_path / "b.age")
    assert "compared byte by byte (Backup:Identity would" in said
    assert "and read again: " not in said


def test_only_secrets_that_were_set_and_are_needed_are_to_be_set_again(
    installation, tmp_path
):
    installation.variables |= {
        "ConnectionStrings__Sqlite": "Data Source=./db/platform.db",
        "ConnectionStrings__PostgreSql": "Host=old;Database=x;Username=x;Password=x",
        "Platform__Seed__AdminPassword": "only for the first start",
    }
    plain = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    assert read_archive(plain, Keys()).secrets == []
    installation.variables["Mail__Password"] = "secret"
    again = make_archive(installation.configuration, tmp_path / "b.tar.gz")
    assert read_archive(again, Keys()).secrets == ["Mail:Password"]


@pytest.fixture
def security_log(caplog):
    """Return the fields of the lines of the security log."""
    caplog.set_level("INFO", "platform.security")
    return lambda: [
        one.fields for one in caplog.records if one.name == "platform.security"
    ]


def test_a_restore_is_in_the_security_log_with_its_date(
    installation, command, tmp_path, security_log
):
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    command("restore", archive)
    assert security_log() == [
        {
            "event": "restore",
            "result": "restored",
            "address": "",
            "via": "command",
            "row": "a.tar.gz",
            "taken": read_archive(archive, Keys()).taken,
        }
    ]


def test_so_is_one_of_a_database_alone(installation, command, tmp_path, security_log):
    command("backup", tmp_path / "b.db")
    os.utime(tmp_path / "b.db", (0, 0))
    command("restore", tmp_path / "b.db")
    [fields] = security_log()
    assert (fields["event"], fields["row"]) == ("restore", "b.db")
    assert fields["taken"] == "1970-01-01T00:00:00+00:00"


def test_a_key_that_was_thrown_away_is_looked_for_in_archives(installation, command):
    said = command("rotate_key", "--forget-old")
    assert len(said.splitlines()) == 1
    for _number in range(2):
        made = make_archive(installation.configuration)
    old = (installation.data / "keys" / "jwt-signing.key").read_bytes()
    assert "still" not in command("rotate_key")
    said = command("rotate_key", "--forget-old")
    assert f"still in 2 archives in {made.parent}, the oldest of 20" in said
    assert made.name in said
    assert "delete them" not in said
    # What the sentence warns of.
    said = command("restore", made)
    assert "count again" in said
    assert (installation.data / "keys" / "jwt-signing.key").read_bytes() == old
    assert "before-restore.key" in command("rotate_key", "--forget-old")


def test_the_same_key_or_one_of_the_settings_is_no_news(
    installation, command, tmp_path
):
    archive = make_archive(installation.configuration, tmp_path / "a.tar.gz")
    assert "count again" not in command("restore", archive)
    command("rotate_key")
    installation.variables["JwtOptions__Secret"] = "s" * 43
    assert "count again" not in command("restore", archive)
