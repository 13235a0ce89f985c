"""What holds for a database on a server: it is never copied and never reset, and a newer
one is refused as well."""

from __future__ import annotations

import pytest

from tests.journeys.installation import PostgresInstallation, installed

pytestmark = pytest.mark.process


@pytest.fixture
def installation(tmp_path):
    with installed(PostgresInstallation, tmp_path / "data") as one:
        yield one


def test_a_database_on_a_server_is_neither_copied_nor_reset(installation):
    """HOST-069, HOST-080, HOST-115, HOST-164, HOST-172."""
    installation.env["Platform__Database__ResetToken"] = "spring"
    installation.env["Platform__Database__IncompatibleHistory"] = "Reset"
    installation.rows("UPDATE accounts_user SET first_name = 'mine'")
    # An older one: it is migrated, and nothing is copied or reset.
    installation.rows("DROP TABLE django_session")
    installation.rows("DELETE FROM django_migrations WHERE app = 'sessions'")
    ended = installation.command("startup", "--check")
    assert "Run backup --all with the version that is in use now" in ended.stdout
    ended = installation.command("startup")
    assert ended.returncode == 0, ended.stderr
    without = f"There is no backup in {installation.data / 'backups'}"
    assert f"isn't copied before the migrations. {without}" in ended.stderr
    assert installation.rows("SELECT count(*) FROM django_session") == [(0,)]
    # A newer one: it is refused, whatever the settings say.
    installation.rows(
        "INSERT INTO django_migrations (app, name, applied)"
        " VALUES ('catalogs', '9999_later', now())"
    )
    ended = installation.command("startup")
    assert ended.returncode == 1
    assert "catalogs.9999_later" in ended.stderr.splitlines()[-1]
    assert "No such backup is in" in ended.stderr.splitlines()[-1]
    assert "ResetToken" not in ended.stderr.splitlines()[-1]
    names = installation.rows("SELECT DISTINCT first_name FROM accounts_user")
    assert names == [("mine",)]
    assert not (installation.data / "backups").exists()
    assert not list(installation.data.glob("db/*.db"))
