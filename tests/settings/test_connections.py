"""Connection strings and database URLs, and the database entry they give."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from platform_site.settings.connections import Provider, connect, provider_named
from platform_site.settings.errors import SettingsError
from tests.site.host.processes import command, environment

DATA = Path("/data")


def connected(provider, text):
    return connect(provider, text, data_folder=DATA, source="a test")


def postgres(text):
    return connected(Provider.POSTGRESQL, text).entry


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Data Source=./db/platform.db", "/data/db/platform.db"),
        ("DataSource=x.db", "/data/x.db"),
        ("filename = x.db ;", "/data/x.db"),
        ("DATA SOURCE=/srv/x.db", "/srv/x.db"),
        ('Data Source="a;b=c.db"', "/data/a;b=c.db"),
        ('Data Source="say ""hi"".db"', '/data/say "hi".db'),
        ("Data Source='it''s.db'", "/data/it's.db"),
        ("sqlite:///db/x.db", "/data/db/x.db"),
        ("sqlite:////srv/x.db", "/srv/x.db"),
    ],
)
def test_a_sqlite_file_is_in_the_data_folder_unless_its_path_is_absolute(
    text, expected
):
    """HOST-068."""
    assert connected(Provider.SQLITE, text).entry["NAME"] == expected


def test_sqlite_takes_the_write_lock_first_and_keeps_what_it_promised():
    options = connected(Provider.SQLITE, "Data Source=x.db").entry["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert options["timeout"] == 20
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        assert f"PRAGMA {pragma}" in options["init_command"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Host=h;Database=d", {"HOST": "h", "NAME": "d"}),
        ("Server=h;Initial Catalog=d", {"HOST": "h", "NAME": "d"}),
        ("Database=d", {"HOST": "localhost", "NAME": "d"}),
        ("Host=h;Port=5433;Database=d", {"PORT": "5433"}),
        ("Server=tcp:h,1433;Database=d", {"HOST": "h", "PORT": "1433"}),
        ("Host=h;Database=d;Username=u;Password=p", {"USER": "u", "PASSWORD": "p"}),
        ("Host=h;Database=d;User Id=u;Pwd=p", {"USER": "u", "PASSWORD": "p"}),
        ("Host=h;Database=d;UserId=u", {"USER": "u"}),
        ("Host=h;Database=d;UID=u", {"USER": "u"}),
        ("HOST=h;DATABASE=d;USER=u", {"HOST": "h", "NAME": "d", "USER": "u"}),
        ('Host=h;Database=d;Password="a;b""c"', {"PASSWORD": 'a;b"c'}),
        ("Host=h;Database=d;Password='a\"b'", {"PASSWORD": 'a"b'}),
        ("Host=h;Database=d;Password=a=b", {"PASSWORD": "a=b"}),
        (
            "postgres://u:p%40q@h:5433/d",
            {"USER": "u", "PASSWORD": "p@q", "PORT": "5433"},
        ),
        ("postgresql://h/d", {"HOST": "h", "NAME": "d"}),
    ],
)
def test_a_postgresql_string_is_understood(text, expected):
    """OPEN-96."""
    entry = postgres(text)
    assert {name: entry[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "option", "expected"),
    [
        ("SSL Mode=Require", "sslmode", "require"),
        ("SslMode=VerifyFull", "sslmode", "verify-full"),
        ("sslmode=verify-ca", "sslmode", "verify-ca"),
        ("Timeout=5", "connect_timeout", 5),
        ("Application Name=x", "application_name", "x"),
        ("Keepalive=60", "keepalives_idle", 60),
        ("", "keepalives_idle", 30),
    ],
)
def test_further_postgresql_keys_go_to_the_driver(text, option, expected):
    assert postgres(f"Host=h;Database=d;{text}")["OPTIONS"][option] == expected


def test_options_of_a_database_url_go_to_the_driver():
    entry = postgres("postgres://h/d?sslmode=require&application_name=x")
    assert entry["OPTIONS"]["sslmode"] == "require"
    assert entry["OPTIONS"]["application_name"] == "x"


def test_postgresql_connections_stay_open_and_are_checked():
    entry = postgres("Host=h;Database=d")
    assert entry["CONN_MAX_AGE"] is None
    assert entry["CONN_HEALTH_CHECKS"] is True


def test_parts_that_are_not_used_give_a_warning_each():
    connection = connected(
        Provider.POSTGRESQL, "Host=h;Database=d;Pooling=true;Command Timeout=3"
    )
    assert len(connection.warnings) == 2
    assert "'pooling'" in connection.warnings[0]
    assert connected(Provider.SQLITE, "Data Source=x;Cache=Shared").warnings


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        (Provider.SQLITE, "Data Source="),
        (Provider.POSTGRESQL, "Host=localhost;Database=platform;Username="),
        (Provider.SQL_SERVER, "Server=localhost;Database=platform;User Id="),
    ],
)
def test_the_hint_of_a_missing_one_has_the_keys_of_its_provider(provider, words):
    with pytest.raises(SettingsError) as raised:
        connected(provider, "")
    assert f"for example to {words}" in str(raised.value)


@pytest.mark.parametrize(
    ("provider", "text", "words"),
    [
        (Provider.POSTGRESQL, "", "ConnectionStrings:PostgreSql is not set"),
        (Provider.POSTGRESQL, "Host=h", "names no database"),
        (Provider.POSTGRESQL, "Host=h;Database", "at part 2"),
        (Provider.POSTGRESQL, "Host=h;=x", "at part 2"),
        (Provider.POSTGRESQL, "Host=h;Password='open", "at part 2"),
        (Provider.POSTGRESQL, "Host=h;Database=d;Port=x", "port must be"),
        (Provider.POSTGRESQL, "Host=h;Database=d;Port=70000", "port must be"),
        (Provider.POSTGRESQL, "postgres://h:x/d", "not a valid database URL"),
        (Provider.SQLITE, "Data Source=:memory:", "must name a database file"),
        (Provider.SQLITE, "Mode=Memory", "must name a database file"),
        (Provider.SQLITE, "Data Source=x;Timeout=soon", "timeout"),
    ],
)
def test_a_string_that_cannot_be_used_is_refused_with_a_sentence(provider, text, words):
    with pytest.raises(SettingsError) as raised:
        connected(provider, text)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "Host=h;Password=hunter2 is 'mine;Database",
        "Host=h;Password='hunter2",
        "postgres://u:hunter2@h:port/d",
        "Host=h;Password=hunter2",
    ],
)
def test_no_message_shows_a_password(text):
    with pytest.raises(SettingsError) as raised:
        postgres(text)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "provider", "engine"),
    [
        ("Sqlite", Provider.SQLITE, "platform_site.database.sqlite"),
        ("PostgreSql", Provider.POSTGRESQL, "platform_site.database.postgresql"),
        ("SqlServer", Provider.SQL_SERVER, "mssql"),
    ],
)
def test_the_provider_is_named_in_any_letter_case(name, provider, engine, monkeypatch):
    """HOST-036."""
    # The libraries for SQL Server are optional, and nothing here loads them.
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: object())
    for text in (name, name.lower(), name.upper()):
        assert provider_named(text, "a test") is provider
    connection = connected(provider, "Data Source=h;Database=d")
    assert connection.entry["ENGINE"] == engine


def test_a_provider_that_is_not_known_is_refused():
    """OPEN-95."""
    with pytest.raises(SettingsError, match="'Oracle'"):
        provider_named("Oracle", "a test")


@pytest.mark.process
def test_a_start_with_an_unknown_provider_is_refused_and_makes_nothing(tmp_path):
    """HOST-036."""
    data = tmp_path / "data"
    ended = command("startup", env=environment(data, Provider="Oracle"))
    assert ended.returncode == 78
    assert ended.stderr == (
        "Provider is 'Oracle' (variable Provider), but must be Sqlite, PostgreSql or "
        "SqlServer.\n"
    )
    assert not data.exists()
