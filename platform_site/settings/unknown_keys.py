"""Warnings about unknown keys, with suggestions, since a misspelt setting has no
effect. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Final

from platform_site.settings.known import KNOWN
from platform_site.settings.setting import Setting, SettingKind
from platform_site.settings.sources import Given

# Keys in files of the old platform that can be ignored.
_OTHERS: Final = ("$schema", "detailederrors", "logging:loglevel", "logging:console")
# Variables of other programs are rarely this similar; in a file every key is ours.
_NEAR_IN_A_VARIABLE: Final = 0.85
_settings: Final = {setting.key.casefold(): setting for setting in KNOWN}
_SECTIONS: Final = {key.partition(":")[0] for key in _settings if ":" in key}


def unknown_keys(given: Mapping[str, Given]) -> list[str]:
    """Return a sentence for each given key without effect.

    Of the environment only variables in our sections or similar to our keys are
    considered.
    """
    return [
        sentence
        for key, one in given.items()
        if not _is_known(key, one)
        for sentence in _warnings(key, one)
    ]


def _warnings(key: str, one: Given) -> Iterator[str]:
    """Yield the sentence, unless the key is a foreign variable."""
    section, colon, _ = key.partition(":")
    is_ours = not one.is_variable or (colon and section in _SECTIONS)
    known = [other for other in _settings if "*" not in other]
    nearness = 0.6 if is_ours else _NEAR_IN_A_VARIABLE
    near = difflib.get_close_matches(key, known, n=1, cutoff=nearness)
    if not is_ours and not (near and (colon or one.is_of_the_host)):
        return
    hint = f" Was {_settings[near[0]].key} meant?" if near else ""
    name = one.name.replace("__", ":")
    yield f"There is no setting {name} ({one.source}); ignored.{hint}"


def _is_known(key: str, one: Given) -> bool:
    if key in _settings or f"{key}:".startswith(
        tuple(f"{other}:" for other in _OTHERS)
    ):
        return True
    if any(_belongs(key, one, setting) for setting in KNOWN if setting.is_family):
        return True
    parent, _, last = key.rpartition(":")
    setting = _settings.get(parent)
    if setting is None:
        return False
    if setting.kind is SettingKind.LIST and re.fullmatch(r"[0-9]{1,4}", last):
        return True
    return setting.secret and last == "file" and one.is_variable


def _belongs(key: str, one: Given, family: Setting) -> bool:
    """Return whether a key belongs to a family of settings with free names."""
    before, _, after = family.key.casefold().partition("*")
    ending = "(:file)?" if family.secret and one.is_variable else ""
    wanted = f"{re.escape(before)}[^:]+{re.escape(after)}{ending}"
    return re.fullmatch(wanted, key) is not None
