"""The whole installation in one archive, and restored from it alone, by the commands that
an operator runs."""

from __future__ import annotations

import json
import shutil
import urllib.request

import pytest

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from tests.journeys.installation import BOTH, PostgresInstallation, installed
from tests.site.archives.whole_installation import (
    FILES,
    add_files,
    content_of,
    execute,
    tables,
)

pytestmark = pytest.mark.process
PASSPHRASE = "six words that nobody would guess"


@pytest.fixture(params=BOTH)
def kind(request):
    return request.param


@pytest.fixture
def installation(kind, tmp_path):
    with installed(kind, tmp_path / "first") as one:
        add_files(one)
        yield one


@pytest.fixture
def elsewhere(kind, tmp_path):
    """Another machine, as it is before anything was done on it."""
    with installed(kind, tmp_path / "second") as one:
        shutil.rmtree(one.data)
        if kind is PostgresInstallation:
            execute(one, "DROP SCHEMA public CASCADE")
            execute(one, "CREATE SCHEMA public")
        yield one


def done(installation, *arguments):
    ended = installation.command(*arguments)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def refused(installation, *arguments):
    """Return the last line of a refusal, which must not be a traceback."""
    ended = installation.command(*arguments)
    assert ended.returncode == 1, ended.stdout
    assert "Traceback" not in ended.stderr
    return ended.stderr.splitlines()[-1]


def sign_in(installation):
    body = {"userName": "admin", "password": DEFAULT_ADMIN_PASSWORD}
    request = urllib.request.Request(
        f"{installation.url}/api/v1/Auth/login",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())["token"]


def account_of(installation, token):
    """Return who is signed in with a token."""
    request = urllib.request.Request(
        f"{installation.url}/api/v1/Account",
        headers={"Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())["userName"]


def test_a_whole_installation_moves_to_another_machine_in_one_file(
    installation, elsewhere, tmp_path
):
    """Also while it is served; rows, files, keys and passwords are the same there."""
    archive = tmp_path / "moved.age"
    installation.env["Backup__Passphrase"] = PASSPHRASE
    with installation.serving():
        token = sign_in(installation)
    done(installation, "rotate_key")
    with installation.serving():
        assert "read again" in done(installation, "backup", "--all", archive)
        # The server uses the data folder and the database.
        assert "Stop" in refused(installation, "restore", "--replace", archive)
    before = content_of(installation)
    # Whoever can't open it doesn't learn that it is good.
    assert "Nothing in" in refused(elsewhere, "verify_backup", archive)
    elsewhere.env["Backup__Passphrase"] = PASSPHRASE
    told = done(elsewhere, "restore", archive)
    assert f"{len(FILES)} files" in told
    assert "set them again: " in told
    assert "Backup:Passphrase" in told
    assert content_of(elsewhere) == before
    # The keys in the archive sign tokens there, and nobody was signed out.
    with elsewhere.serving():
        assert account_of(elsewhere, sign_in(elsewhere)) == "admin"
        assert account_of(elsewhere, token) == "admin"


def test_a_restore_keeps_what_was_there_and_a_damaged_archive_changes_nothing(
    installation, tmp_path
):
    archive = tmp_path / "all.tar.gz"
    done(installation, "backup", "--all", archive)
    told = done(installation, "verify_backup", archive)
    assert f"is good: {rows_of(installation)} rows, {len(FILES)} files" in told
    before = content_of(installation)
    execute(installation, "UPDATE accounts_user SET first_name = 'changed'")
    changed = content_of(installation)
    damaged = tmp_path / "damaged.tar.gz"
    content = bytearray(archive.read_bytes())
    content[20_000] ^= 0xFF
    damaged.write_bytes(content)
    assert "is damaged" in refused(installation, "restore", "--replace", damaged)
    if isinstance(installation, PostgresInstallation):
        assert "isn't empty" in refused(installation, "restore", archive)
    assert content_of(installation) == changed
    assert not list(installation.data.glob("restore-*"))
    done(installation, "restore", archive, "--replace")
    assert content_of(installation) == before
    [kept] = (installation.data / "backups").glob("*-before-restore.d*")
    assert kept.stat().st_size > 100_000


def rows_of(installation):
    return sum(
        installation.rows(f'SELECT count(*) FROM "{table}"')[0][0]
        for table in tables(installation)
        if table != "sqlite_sequence"
    )
