"""The parser of connection strings and database URLs. Pure; messages name the place,
never a value."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from platform_site.settings.errors import SettingsError

# The names of parts that all database servers have, folded.
KEYS: Final = {
    "host": "HOST",
    "server": "HOST",
    "port": "PORT",
    "database": "NAME",
    "initialcatalog": "NAME",
    "username": "USER",
    "userid": "USER",
    "uid": "USER",
    "user": "USER",
    "password": "PASSWORD",
    "pwd": "PASSWORD",
}
_URL: Final = re.compile(r"(?:postgres|postgresql|sqlite)://", re.IGNORECASE)
_PART: Final = re.compile(
    r"""
    \s*(?P<name>[^=;]*?)\s*=\s*
    (?:
        "(?P<double>(?:[^"]|"")*)"
      | '(?P<single>(?:[^']|'')*)'
      | (?P<bare>[^"';][^;]*|)
    )
    \s*(?:;|$)
    """,
    re.VERBOSE,
)


def pairs(text: str, place: str) -> dict[str, str]:
    """Return `name without blanks, folded -> value`; the last of a repeated name wins.

    Values may be quoted, with inner quotes doubled (OPEN-96). Raise SettingsError with
    the number of an unreadable part.
    """
    text = text.strip()
    if _URL.match(text):
        return _from_url(text, place)
    found: dict[str, str] = {}
    position, number = 0, 0
    while position < len(text):
        if text[position] in "; \t\r\n":
            position += 1
            continue
        number += 1
        part = _PART.match(text, position)
        if part is None or not part["name"]:
            raise SettingsError(
                f"{place} cannot be read at part {number}: write name=value parts "
                "separated by semicolons, and quote a value that holds one."
            )
        found[_folded(part["name"])] = _value(part)
        position = part.end()
    return found


def number(text: str, name: str, place: str) -> int:
    """Return the number of a part, such as a port; raise SettingsError for an invalid
    one."""
    if not (text.isascii() and text.isdigit() and int(text) < 65_536):
        raise SettingsError(
            f"{place} has '{text}' where {name} must be a whole number below 65536."
        )
    return int(text)


def _folded(name: str) -> str:
    return re.sub(r"[\s_]", "", name).casefold()


def _value(part: re.Match[str]) -> str:
    if part["double"] is not None:
        return part["double"].replace('""', '"')
    if part["single"] is not None:
        return part["single"].replace("''", "'")
    return part["bare"].strip()


def _from_url(text: str, place: str) -> dict[str, str]:
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        raise SettingsError(
            f"{place} is not a valid database URL; write "
            "postgres://user:password@host:port/database."
        ) from None
    if url.scheme == "sqlite":
        # sqlite:///db/x.db is relative, sqlite:////srv/x.db absolute.
        return {"datasource": unquote(url.path.removeprefix("/"))}
    found = {_folded(name): value for name, value in parse_qsl(url.query)}
    given = {
        "host": unquote(url.hostname or ""),
        "port": str(port) if port is not None else "",
        "database": unquote(url.path.removeprefix("/")),
        "username": unquote(url.username or ""),
        "password": unquote(url.password or ""),
    }
    return found | {name: value for name, value in given.items() if value}
