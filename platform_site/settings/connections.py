"""Django's database entry for the selected provider's connection string or database
URL. Pure; a password never appears in a message."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from platform_site.settings.connection_text import KEYS, number, pairs
from platform_site.settings.errors import SettingsError
from platform_site.settings.sql_server import sql_server_entry

SQLITE_PRAGMAS: Final = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON"
)


class Provider(StrEnum):
    """The supported databases (HOST-036)."""

    SQLITE = "Sqlite"
    POSTGRESQL = "PostgreSql"
    SQL_SERVER = "SqlServer"


@dataclass(frozen=True, slots=True)
class DatabaseConnection:
    """Django's entry for the default database, and the unknown parts of the string."""

    provider: Provider
    entry: dict[str, object]
    warnings: tuple[str, ...] = field(default=())


_POSTGRES_OPTIONS: Final = {
    "sslmode": "sslmode",
    "rootcertificate": "sslrootcert",
    "sslrootcert": "sslrootcert",
    "sslcertificate": "sslcert",
    "sslcert": "sslcert",
    "sslkey": "sslkey",
    "timeout": "connect_timeout",
    "connecttimeout": "connect_timeout",
    "applicationname": "application_name",
    "keepalive": "keepalives_idle",
    "keepalivesidle": "keepalives_idle",
    "targetsessionattributes": "target_session_attrs",
}
# A vanished server is noticed within a minute, also by imports and commands.
_POSTGRES_DEFAULTS: Final = {
    "connect_timeout": 15,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_SSL_MODES: Final = {"verifyca": "verify-ca", "verifyfull": "verify-full"}
_NUMBERS: Final = ("PORT", "connect_timeout", "keepalives_idle")


# The example in the hint about a missing connection string.
_EXAMPLES: Final = {
    Provider.SQLITE: "Data Source=./db/platform.db",
    Provider.POSTGRESQL: "Host=localhost;Database=platform;Username=platform;Password=...",
    Provider.SQL_SERVER: "Server=localhost;Database=platform;User Id=platform;Password=...",
}


def provider_named(text: str, source: str) -> Provider:
    """Return the provider, ignoring case; raise SettingsError for any other
    (OPEN-95)."""
    for provider in Provider:
        if provider.value.casefold() == text.casefold():
            return provider
    raise SettingsError(
        f"Provider is '{text}' ({source}), but must be Sqlite, PostgreSql or SqlServer."
    )


def connect(
    provider: Provider, text: str, *, data_folder: Path, source: str
) -> DatabaseConnection:
    """Return the database entry of a connection string (HOST-037, OPEN-96)."""
    key = f"ConnectionStrings:{provider.value}"
    if not text.strip():
        raise SettingsError(
            f"Provider is {provider.value}, but {key} is not set; set it, for example "
            f"to {_EXAMPLES[provider]}"
        )
    parts = pairs(text, f"{key} ({source})")
    if provider is Provider.SQLITE:
        return _sqlite(parts, data_folder, key)
    if provider is Provider.SQL_SERVER:
        return DatabaseConnection(
            provider, *sql_server_entry(parts, f"{key} ({source})", key)
        )
    return _postgresql(parts, f"{key} ({source})", key)


def _sqlite(parts: dict[str, str], data_folder: Path, key: str) -> DatabaseConnection:
    file, timeout = "", "20"
    warnings = []
    for name, value in parts.items():
        if name in ("datasource", "filename"):
            file = value
        elif name in ("defaulttimeout", "timeout"):
            timeout = value
        else:
            warnings.append(f"{key} has a part '{name}' that SQLite does not use.")
    if not file or file.startswith(":memory:"):
        raise SettingsError(
            f"{key} must name a database file, as in Data Source=./db/platform.db."
        )
    if not timeout.isascii() or not timeout.isdigit():
        raise SettingsError(
            f"{key} has a timeout that isn't a whole number of seconds."
        )
    entry: dict[str, object] = {
        "ENGINE": "platform_site.database.sqlite",
        # An absolute path is kept, whatever precedes it (HOST-068).
        "NAME": str(Path(data_folder, file)),
        "OPTIONS": {
            # Taking the write lock first avoids a busy error in the middle.
            "transaction_mode": "IMMEDIATE",
            "timeout": int(timeout),
            "init_command": SQLITE_PRAGMAS,
        },
    }
    return DatabaseConnection(Provider.SQLITE, entry, tuple(warnings))


def _postgresql(parts: dict[str, str], place: str, key: str) -> DatabaseConnection:
    entry: dict[str, object] = {
        "ENGINE": "platform_site.database.postgresql",
        "HOST": "localhost",
        # The server keeps a fixed set of threads, so connections may stay open.
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
    }
    options: dict[str, object] = dict(_POSTGRES_DEFAULTS)
    warnings = []
    for name, value in parts.items():
        if name in KEYS:
            entry[KEYS[name]] = _checked(KEYS[name], value, place)
        elif name in _POSTGRES_OPTIONS:
            option = _POSTGRES_OPTIONS[name]
            options[option] = _checked(option, value, place)
        else:
            warnings.append(f"{key} has a part '{name}' that is not used.")
    if not entry.get("NAME"):
        raise SettingsError(f"{place} names no database; add Database=<name>.")
    entry["OPTIONS"] = options
    _split_host(entry, place)
    return DatabaseConnection(Provider.POSTGRESQL, entry, tuple(warnings))


def _checked(name: str, value: str, place: str) -> object:
    if name == "sslmode":
        folded = value.casefold().replace("-", "")
        return _SSL_MODES.get(folded, folded)
    if name not in _NUMBERS:
        return value
    checked = number(value, name.casefold(), place)
    return str(checked) if name == "PORT" else checked


def _split_host(entry: dict[str, object], place: str) -> None:
    """Split `tcp:` and a port after a comma from the host, as in old settings."""
    host = str(entry["HOST"]).removeprefix("tcp:")
    host, comma, port = host.partition(",")
    if comma:
        entry["PORT"] = _checked("PORT", port.strip(), place)
    entry["HOST"] = host.strip()
