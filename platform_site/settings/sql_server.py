"""Django's database entry for a SQL Server connection string. Pure; a password never
appears in a message."""

from __future__ import annotations

import importlib.util
from typing import Final

from platform_site.settings.connection_text import KEYS, number
from platform_site.settings.errors import SettingsError

_NAMES: Final = {**KEYS, **dict.fromkeys(("datasource", "address", "addr"), "HOST")}
# The ODBC driver's names for parts with other names in old settings.
_DRIVERS: Final = {
    "encrypt": "Encrypt",
    "trustservercertificate": "TrustServerCertificate",
    "hostnameincertificate": "HostNameInCertificate",
    "applicationname": "APP",
    "applicationintent": "ApplicationIntent",
    "multisubnetfailover": "MultiSubnetFailover",
    "integratedsecurity": "Trusted_Connection",
    "trustedconnection": "Trusted_Connection",
    "authentication": "Authentication",
}
_TIMEOUTS: Final = ("timeout", "connecttimeout", "connectiontimeout")
_WORDS: Final = {"true": "yes", "sspi": "yes", "mandatory": "yes", "false": "no"}


def sql_server_entry(
    parts: dict[str, str], place: str, key: str
) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return the database entry, and a sentence for each unused part.

    Raise SettingsError, also if the optional libraries are not installed.
    """
    entry: dict[str, object] = {
        "ENGINE": "mssql",
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
    }
    # mssql_python includes an ODBC driver; the part Driver names another one.
    options: dict[str, object] = {"python_driver": "mssql_python"}
    extra, warnings = [], []
    for name, value in parts.items():
        if name in _NAMES:
            entry[_NAMES[name]] = value
        elif name in _DRIVERS:
            extra.append(f"{_DRIVERS[name]}={_quoted(value)}")
        elif name in _TIMEOUTS:
            options["connection_timeout"] = number(value, name, place)
        elif name == "driver":
            options = {**options, "driver": value.strip("{}"), "python_driver": ""}
        else:
            warnings.append(f"{key} has a part '{name}' that is not used.")
    for name, words in (("NAME", "Database=<name>"), ("HOST", "Server=<name>")):
        if not entry.get(name):
            raise SettingsError(f"{place} lacks {words}; add it.")
    _split_host(entry, place)
    if extra:
        options["extra_params"] = ";".join(extra)
    entry["OPTIONS"] = options
    _require_libraries(key)
    return entry, tuple(warnings)


def _quoted(value: str) -> str:
    """Return a value in the driver's format, in braces where it could end early."""
    word = _WORDS.get(value.casefold(), value)
    if not any(sign in word for sign in ";{}"):
        return word
    return "{" + word.replace("}", "}}") + "}"


def _split_host(entry: dict[str, object], place: str) -> None:
    """Split `tcp:` and a port after a comma from the server's name."""
    host, comma, port = str(entry["HOST"]).removeprefix("tcp:").partition(",")
    entry["HOST"] = host.strip()
    if comma:
        entry["PORT"] = port.strip()
    if entry.get("PORT"):
        entry["PORT"] = str(number(str(entry["PORT"]), "port", place))


def _require_libraries(key: str) -> None:
    if importlib.util.find_spec("mssql") is None:
        raise SettingsError(
            f"{key} is set, but the libraries for SQL Server are not installed; "
            "install the optional extra 'sqlserver', or use Sqlite or PostgreSql."
        )
