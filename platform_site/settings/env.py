"""The settings loader: reads the settings files and environment variables and returns
typed settings with their sources. Pure: no Django, no writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from platform_site.settings.effective import Effective, EffectiveSettings
from platform_site.settings.errors import SettingsError
from platform_site.settings.known import KNOWN
from platform_site.settings.setting import Setting, SettingKind
from platform_site.settings.sources import Given, environment_name, gather
from platform_site.settings.unknown_keys import unknown_keys
from platform_site.settings.values import Value, WrongFormError, convert

BUILT_IN: Final = "built-in default"


def read_settings(
    environ: Mapping[str, str], folder: Path | None = None
) -> EffectiveSettings:
    """Read all sources, later ones over earlier ones: defaults, files, variables
    (OPEN-93).

    Raise SettingsError with key, value and source of the first wrong value.
    """
    environment = environment_name(environ)
    given = gather(environ, folder, environment)
    effective: dict[str, Effective] = {}
    for setting in KNOWN:
        if setting.is_family:
            effective |= _family(setting, given)
        else:
            effective[setting.key.casefold()] = _effective(setting, given)
    return EffectiveSettings(
        effective, environment=environment, warnings=unknown_keys(given)
    )


def _effective(setting: Setting, given: Mapping[str, Given]) -> Effective:
    if setting.kind is SettingKind.LIST:
        entries = _entries(setting.key, given)
        if entries:
            texts = tuple(one.text.strip() for one in entries if one.text)
            sources = ", ".join(dict.fromkeys(one.source for one in entries))
            return Effective(setting.key, texts, sources, setting.secret)
    key = setting.key.casefold()
    try:
        one = _from_file(setting, given) if setting.secret else given.get(key)
    except SettingsError as error:
        if not setting.may_be_unreadable:
            raise
        source = given[f"{key}:file"].source
        return Effective(setting.key, "", source, setting.secret, str(error))
    if one is None or one.text is None or not one.text.strip():
        return Effective(setting.key, _default(setting), BUILT_IN, setting.secret)
    return Effective(setting.key, _convert(setting, one), one.source, setting.secret)


def _default(setting: Setting) -> Value:
    if setting.default:
        return convert(setting, setting.default)
    empty: dict[SettingKind, Value] = {SettingKind.TEXT: "", SettingKind.LIST: ()}
    return empty.get(setting.kind)


def _entries(key: str, given: Mapping[str, Given]) -> list[Given]:
    """Return the indexed entries of a list, unless a later source has plain text."""
    prefix = f"{key.casefold()}:"
    indexed = sorted(
        (int(name.removeprefix(prefix)), one)
        for name, one in given.items()
        if name.startswith(prefix) and _is_index(name.removeprefix(prefix))
    )
    entries = [one for _, one in indexed if one.text and one.text.strip()]
    plain = given.get(key.casefold())
    if plain and plain.text and all(one.rank < plain.rank for one in entries):
        return []
    return entries


def _is_index(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,4}", text) is not None


def _family(setting: Setting, given: Mapping[str, Given]) -> dict[str, Effective]:
    """Return the settings for each name in place of the `*`, by folded key."""
    before, _, after = setting.key.partition("*")
    ending = "(:file)?" if setting.secret else ""
    wanted = f"{re.escape(before)}([^:]+){re.escape(after)}{ending}"
    found: dict[str, Effective] = {}
    for one in given.values():
        # The name as written, for messages.
        written = one.name.replace("__", ":")
        member = re.fullmatch(wanted, written, re.IGNORECASE)
        if member and one.text:
            named = msgspec.structs.replace(
                setting, key=setting.key.replace("*", member[1])
            )
            found[named.key.casefold()] = _effective(named, given)
    return found


def _convert(setting: Setting, one: Given) -> Value:
    text = (one.text or "").strip()
    try:
        return convert(setting, text)
    except WrongFormError as error:
        value = "********" if setting.secret else f"'{text}'"
        raise SettingsError(
            f"{setting.key} is {value} ({one.source}), but must be {error}."
        ) from None


def _from_file(setting: Setting, given: Mapping[str, Given]) -> Given | None:
    """Return a secret from the file named by `<variable>__FILE`, if set."""
    key = setting.key.casefold()
    named, plain = given.get(f"{key}:file"), given.get(key)
    if named is None or not named.text or not named.is_variable:
        return plain
    if plain is not None and plain.text and plain.is_variable:
        raise SettingsError(
            f"The variables {plain.name} and {named.name} are both set; keep one."
        )
    try:
        text = Path(named.text).read_text(encoding="utf-8-sig").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingsError(
            f"The file '{named.text}' named by {named.source} cannot be read: {reason}."
        ) from error
    if not text:
        raise SettingsError(
            f"The file '{named.text}' named by {named.source} is empty."
        )
    return Given(named.name, text, named.source, named.rank)
