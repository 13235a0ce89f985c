"""The connection string of SQL Server, as old settings files have it."""

from __future__ import annotations

import importlib.util

import pytest

from platform_site.settings.connections import Provider, connect
from platform_site.settings.errors import SettingsError
from platform_site.settings.sql_server import sql_server_entry

PLAIN = "Server=db;Database=platform;User Id=app;Password=hunter2"


@pytest.fixture
def installed(monkeypatch):
    """Let the optional libraries seem installed; nothing here loads them."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: object())


def connected(text, tmp_path):
    return connect(Provider.SQL_SERVER, text, data_folder=tmp_path, source="a test")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PLAIN, {"HOST": "db", "NAME": "platform", "USER": "app"}),
        ("Server=tcp:db,1444;Database=p", {"HOST": "db", "PORT": "1444", "NAME": "p"}),
        ("Data Source=.\\SQLEXPRESS;Initial Catalog=p", {"HOST": ".\\SQLEXPRESS"}),
        ("server=db;DATABASE=p;uid=u;pwd='a;b'", {"USER": "u", "PASSWORD": "a;b"}),
    ],
)
def test_the_usual_names_are_understood(tmp_path, text, expected):
    entry = connected(text, tmp_path).entry
    assert entry["ENGINE"] == "mssql"
    assert {key: entry.get(key) for key in expected} == expected


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("more", "option", "value"),
    [
        ("Encrypt=True", "extra_params", "Encrypt=yes"),
        (
            "Encrypt=Mandatory;Trust Server Certificate=false",
            "extra_params",
            "Encrypt=yes;TrustServerCertificate=no",
        ),
        ("Integrated Security=SSPI", "extra_params", "Trusted_Connection=yes"),
        ("App Name=x", "extra_params", None),
        ('Application Name="a;Trusted=1"', "extra_params", "APP={a;Trusted=1}"),
        ("Connect Timeout=7", "connection_timeout", 7),
        ("Driver={ODBC Driver 18 for SQL Server}", "python_driver", ""),
        ("", "python_driver", "mssql_python"),
    ],
)
def test_further_parts_reach_the_driver(tmp_path, more, option, value):
    entry = connected(f"{PLAIN};{more}", tmp_path).entry
    assert entry["OPTIONS"].get(option) == value


@pytest.mark.usefixtures("installed")
def test_an_unused_part_is_reported(tmp_path):
    (warning,) = connected(f"{PLAIN};Wallet=x", tmp_path).warnings
    assert "'wallet'" in warning


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Server=db", "Database="),
        ("Database=p", "Server="),
        ("Server=db,x;Database=p", "'x'"),
        ("Server=db;Database=p;Timeout=long", "'long'"),
    ],
)
def test_what_is_missing_or_wrong_is_named_without_the_password(tmp_path, text, words):
    with pytest.raises(SettingsError, match=words) as raised:
        connected(f"{text};Password=hunter2", tmp_path)
    assert "hunter2" not in str(raised.value)


def test_without_the_libraries_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(SettingsError, match="'sqlserver'"):
        sql_server_entry({"server": "db", "database": "p"}, "a test", "a key")
