"""The origins of the tables of a source: a folder, an address, a data processor that
makes them, or uploads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth import get_user_model
from django.core.exceptions import ObjectDoesNotExist

from importer import registry
from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _

_LONGEST = 1000
_URL = ("url",)
_PROCESSOR = ("processor",)
_FOLDER = ("folder", "pattern", "user")
_EVERY_FILE = "*"
_PART = re.compile(r"[\w. -]{1,100}")


def origin_of(given: Any) -> tuple[dict[str, str] | None, dict[str, str]]:
    """Return the origin in a JSON value, and the sentences about it by their places."""
    if given is None:
        return None, {}
    if not isinstance(given, Mapping):
        return None, {"origin": _("must be a JSON object, or null for uploads")}
    one_of = (kind for kind in (_URL, _PROCESSOR) if kind[0] in given)
    known: tuple[str, ...] = next(one_of, _FOLDER)
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
    if known == _FOLDER and not errors:
        errors = _wrong_folder(found)
    if known == _URL and not errors and not _is_address(found["url"]):
        errors["origin.url"] = _(
            "must begin with https:// and have no user name, password or spaces"
        )
    if known == _PROCESSOR and not errors:
        errors = _wrong_processor(found["processor"])
    return found, errors


def _wrong_processor(name: str) -> dict[str, str]:
    """Return the sentence about a processor that makes no tables by itself."""
    makers = registry.source_hooks().makers()
    if name in makers:
        return {}
    sentence = _(
        "must be the name of a data processor whose result is a file, and that needs no "
        "file itself"
    )
    return {"origin.processor": sentence + did_you_mean(name, makers)}


def _wrong_folder(origin: Mapping[str, str]) -> dict[str, str]:
    """Return the sentences about a folder that can't be watched.

    It is always inside the folder that the operator has set: whoever saves a source may
    not read every file of the server.
    """
    errors = {}
    parts = PurePosixPath(origin["folder"]).parts
    plain = all(_PART.fullmatch(part) and part.strip(".") for part in parts)
    if not parts or not plain:
        errors["origin.folder"] = _(
            "must be the name of a folder inside the folder for imports, made of "
            "letters, digits, spaces, - and _"
        )
    if "/" in origin["pattern"] or "\\" in origin["pattern"]:
        errors["origin.pattern"] = _("must be a pattern of file names, such as *.csv")
    try:
        users = get_user_model()._default_manager
        users.get_by_natural_key(origin["user"])
    except ObjectDoesNotExist:
        errors["origin.user"] = _("there is no user of this name")
    return errors


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_plain = url.isascii() and url.isprintable() and " " not in url
    is_anonymous = parts.username is None and parts.password is None
    return parts.scheme == "https" and usable and is_plain and is_anonymous
