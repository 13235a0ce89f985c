"""The reader of a JSON settings file, with comments, trailing commas and a byte order
mark, into flat keys."""

from __future__ import annotations

import json
import re
from pathlib import Path

from platform_site.settings.errors import SettingsError

_STRING = r'"(?:\\.|[^"\\\n])*"'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])")


class _Object(list[tuple[str, object]]):
    """A JSON object as its pairs, so that duplicate keys are noticed."""


def read_settings_file(path: Path) -> dict[str, tuple[str, str | None]]:
    """Return `folded key -> (key as written, text)`; null means unset.

    Raise SettingsError with file, line and column for invalid JSON (OPEN-93).
    """
    root = _parse(path)
    if not isinstance(root, _Object):
        raise SettingsError(
            f"The settings file {path} must hold one JSON object in curly braces."
        )
    flat: dict[str, tuple[str, str | None]] = {}
    _flatten(root, "", flat, path)
    return flat


def _parse(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"The settings file {path} is not UTF-8 text (byte {error.start})."
        ) from error
    except OSError as error:
        raise SettingsError(
            f"The settings file {path} cannot be read: {error.strerror}."
        ) from error
    try:
        return json.loads(
            _plain(text),
            object_pairs_hook=_Object,
            # Values stay text: all sources have the same form then, and a number with
            # thousands of digits isn't a special case.
            parse_int=str,
            parse_float=str,
        )
    except json.JSONDecodeError as error:
        raise SettingsError(
            f"The settings file {path} is not valid JSON at line {error.lineno}, "
            f"column {error.colno}: {error.msg}."
        ) from error
    except RecursionError as error:
        raise SettingsError(
            f"The settings file {path} is nested too deeply."
        ) from error


def _plain(text: str) -> str:
    """Return the text with comments and trailing commas blanked; other characters keep
    their place."""

    def blank(found: re.Match[str]) -> str:
        part = found[0]
        return part if part.startswith('"') else re.sub(r"[^\n]", " ", part)

    return _TRAILING_COMMA.sub(blank, _COMMENT.sub(blank, text))


def _flatten(
    value: object,
    prefix: str,
    flat: dict[str, tuple[str, str | None]],
    path: Path,
) -> None:
    if isinstance(value, _Object):
        seen: set[str] = set()
        for name, _child in value:
            if name.casefold() in seen:
                raise _doubled(f"{prefix}:{name}" if prefix else name, path)
            seen.add(name.casefold())
        for name, child in value:
            _flatten(child, f"{prefix}:{name}" if prefix else name, flat, path)
    elif isinstance(value, list):
        for index, child in enumerate(value):
            _flatten(child, f"{prefix}:{index}", flat, path)
    else:
        folded = prefix.casefold()
        if folded in flat:
            raise _doubled(prefix, path)
        flat[folded] = (prefix, _text(value))


def _doubled(key: str, path: Path) -> SettingsError:
    return SettingsError(
        f"The settings file {path} names {key} twice (letter case makes no difference)."
    )


def _text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
