"""The origins of the tables of a source: a folder, an address, or uploads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _

_LONGEST = 1000
_URL = ("url",)
_FOLDER = ("folder", "pattern", "user")
_EVERY_FILE = "*"


def origin_of(given: Any) -> tuple[dict[str, str] | None, dict[str, str]]:
    """Return the origin in a JSON value, and the sentences about it by their places."""
    if given is None:
        return None, {}
    if not isinstance(given, Mapping):
        return None, {"origin": _("must be a JSON object, or null for uploads")}
    known = _URL if "url" in given else _FOLDER
    errors = {
        f"origin.{name}": _("unknown key") + did_you_mean(str(name), known)
        for name in given
        if name not in known
    }
    found = dict(given)
    if known == _FOLDER:
        found.setdefault("pattern", _EVERY_FILE)
    for name in known:
        value = found.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
            sentence = _("must be a text of 1 to %(most)s characters")
            errors[f"origin.{name}"] = sentence % {"most": _LONGEST}
    if known == _URL and not errors and not _is_address(found["url"]):
        errors["origin.url"] = _(
            "must begin with https:// and have no user name, password or spaces"
        )
    return found, errors


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_plain = url.isascii() and url.isprintable() and " " not in url
    is_anonymous = parts.username is None and parts.password is None
    return parts.scheme == "https" and usable and is_plain and is_anonymous
