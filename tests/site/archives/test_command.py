"""The commands about archives as an operator calls them: names of files, and what they
say."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command

from platform_site.management.commands import backup
from platform_site.settings.errors import StartRefusedError
from platform_site.site.archives.encryption import new_identity
from platform_site.site.archives.keys import Keys
from platform_site.site.archives.making import make_archive
from platform_site.site.archives.reading import read_archive

pytestmark = pytest.mark.django_db
PASSPHRASE = "six words that nobody would guess"
RECIPIENT = new_identity()[1]


@pytest.fixture
def backup_command(installation, monkeypatch):
    """Return the command `backup` for the installation."""
    monkeypatch.setattr(backup, "active", lambda: installation.configuration)

    def called(*arguments):
        out = io.StringIO()
        call_command("backup", *map(str, arguments), stdout=out)
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
    installation, backup_command, tmp_path, name, passphrase, arguments, sentence
):
    installation.variables["Backup__Passphrase"] = passphrase
    file = tmp_path / name
    with pytest.raises(StartRefusedError, match=sentence):
        backup_command(file, *arguments)
    assert not file.exists()


def test_an_archive_that_only_others_can_open_was_not_read_again(
    installation, backup_command, tmp_path
):
    assert "and read again: " in backup_command("--all", tmp_path / "a.tar.gz")
    installation.variables["Backup__Recipients__0"] = RECIPIENT
    said = backup_command("--all", tmp_path / "b.age")
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
