"""What a start says of backups that can't be made, stay on this machine or are open."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest

from platform_site.settings.configuration import build
from platform_site.settings.connections import Provider
from platform_site.settings.env import read_settings
from platform_site.settings.listen import endpoints
from platform_site.site.host.exposure import exposure_warnings
from platform_site.site.host.postgres_tools import PostgresTools
from platform_site.site.host.start_preview import preview_start
from platform_site.site.host.start_warnings import start_warnings

REACHABLE = {"ASPNETCORE_URLS": "http://*:8080"}
KEPT = {"Backup__Offsite__Folder": "/mnt/backups", "Backup__Passphrase": "p" * 20}
SERVER = {
    "Provider": "PostgreSql",
    "ConnectionStrings__PostgreSql": "Host=127.0.0.1;Database=erp",
    **KEPT,
}


def said(tmp_path, **environ):
    """Return what is said beyond the exposure."""
    settings = read_settings({"Platform__DataPath": str(tmp_path), **environ})
    configuration, addresses = build(settings), endpoints(settings)
    before = list(exposure_warnings(configuration, addresses))
    return list(start_warnings(configuration, addresses))[len(before) :]


class Server:
    """A connection to a server of version 17."""

    info = type("Info", (), {"server_version": 170004})

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return None


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Return how a test makes tools that print a version."""
    monkeypatch.setattr(PostgresTools, "connect", lambda *_given: Server())
    folder = tmp_path / "tools"
    folder.mkdir()

    def make(**versions):
        for name, version in versions.items():
            path = folder / name
            path.write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n")
            path.chmod(0o700)
        return {**SERVER, "Backup__PostgresTools": str(folder)}

    return make


def test_a_reachable_site_is_warned_of_backups_here_that_anybody_can_read(tmp_path):
    place, key = said(tmp_path, **REACHABLE)
    assert "Backup:Offsite:Folder" in place
    assert "Backup:Passphrase or Backup:Recipients" in key
    assert said(tmp_path, **REACHABLE, **KEPT) == []


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("Backup__Offsite__Command", "copy {file}"),
        ("Backup__Offsite__S3__Bucket", "kept"),
    ],
)
def test_each_other_place_counts(tmp_path, variable, text):
    [key] = said(tmp_path, **REACHABLE, **{variable: text})
    assert "encrypted" in key


def test_public_keys_count_as_encryption(tmp_path):
    [place] = said(tmp_path, **REACHABLE, Backup__Recipients__0="age1x")
    assert "stay on this machine" in place


def test_nothing_is_said_on_a_developers_machine_or_without_archives(tmp_path):
    assert said(tmp_path) == []
    assert said(tmp_path, **REACHABLE, Backup__Schedule="off") == []


def test_the_preview_says_it_too(tmp_path):
    given = {"Platform__DataPath": str(tmp_path), **REACHABLE}
    found = preview_start(build(read_settings(given)))
    assert any("Backups stay on this machine" in one for one in found.warnings)


def test_tools_of_the_servers_version_are_good(tmp_path, tools):
    assert said(tmp_path, **tools(pg_dump="17.2", pg_restore="18.0")) == []


@pytest.mark.parametrize("name", ["pg_dump", "pg_restore"])
def test_a_missing_or_old_tool_is_told_at_the_start(tmp_path, tools, name):
    [old] = said(tmp_path, **tools(**{"pg_dump": "17", "pg_restore": "17", name: "16"}))
    assert old.startswith(f"The scheduled backups will fail: {name} has version 16,")
    (tmp_path / "tools" / name).unlink()
    [missing] = said(tmp_path, **tools())
    assert missing.startswith(f"The scheduled backups will fail: {name} isn't in")
    assert said(tmp_path, **tools(), Backup__Schedule="off") == []


def test_a_server_that_is_away_is_told_elsewhere(tmp_path, tools, monkeypatch):
    def away(*_given):
        raise psycopg.OperationalError("away")

    monkeypatch.setattr(PostgresTools, "connect", away)
    assert said(tmp_path, **tools()) == []


def test_sql_server_makes_no_archives(tmp_path):
    settings = read_settings({"Platform__DataPath": str(tmp_path), **REACHABLE})
    configuration = build(settings)
    # Its library needn't be installed.
    server = replace(configuration.connection, provider=Provider.SQL_SERVER)
    configuration = replace(configuration, connection=server)
    given = endpoints(settings)
    told = list(start_warnings(configuration, given))
    assert told == list(exposure_warnings(configuration, given))
