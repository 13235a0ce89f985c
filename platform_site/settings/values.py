"""The conversion of a setting's text to its type. The error completes the sentence for
the operator."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from platform_site.settings.setting import Setting, SettingKind

type_words: Final[dict[SettingKind, str]] = {
    SettingKind.TEXT: "text",
    SettingKind.WHOLE_NUMBER: "a whole number",
    SettingKind.SWITCH: "true or false",
    SettingKind.DURATION: "whole days, or a time span written d.hh:mm:ss",
    SettingKind.LIST: "a list",
}
Value = str | int | bool | timedelta | tuple[str, ...] | None

_SWITCHES: Final = {"true": True, "1": True, "false": False, "0": False}
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_SPAN = re.compile(
    r"(?:(?P<days>[0-9]{1,5})\.)?(?P<hours>[0-9]{1,2}):(?P<minutes>[0-9]{2})"
    r"(?::(?P<seconds>[0-9]{2}))?"
)
# A token's expiry must stay a valid date.
_LONGEST = timedelta(days=36_500)


class WrongFormError(ValueError):
    """The form that the text must have; the loader adds key, value and source."""


def convert(setting: Setting, text: str) -> Value:
    """Return the typed value of a text that isn't empty; raise WrongFormError
    otherwise."""
    match setting.kind:
        case SettingKind.TEXT:
            return _choice(setting, text) if setting.choices else text
        case SettingKind.LIST:
            return split_list(text)
        case SettingKind.WHOLE_NUMBER:
            return _number(setting, text)
        case SettingKind.SWITCH:
            return _switch(text)
        case SettingKind.DURATION:
            return duration(text)


def split_list(text: str) -> tuple[str, ...]:
    """Return the entries between semicolons, trimmed, without empty ones."""
    return tuple(part.strip() for part in text.split(";") if part.strip())


def duration(text: str) -> timedelta:
    """Return the time of whole days or `d.hh:mm:ss`, above zero and at most 36,500
    days."""
    if re.fullmatch(r"[0-9]{1,5}", text):
        span = timedelta(days=int(text))
    elif found := _SPAN.fullmatch(text):
        parts = {name: int(part or 0) for name, part in found.groupdict().items()}
        if parts["hours"] > 23 or parts["minutes"] > 59 or parts["seconds"] > 59:
            raise WrongFormError(type_words[SettingKind.DURATION])
        span = timedelta(**parts)
    else:
        raise WrongFormError(type_words[SettingKind.DURATION])
    if not timedelta() < span <= _LONGEST:
        raise WrongFormError("a time span of more than nothing, at most 36,500 days")
    return span


def _choice(setting: Setting, text: str) -> str:
    if text.casefold() not in setting.choices:
        raise WrongFormError(" or ".join(setting.choices))
    return text.casefold()


def _number(setting: Setting, text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise WrongFormError(type_words[SettingKind.WHOLE_NUMBER])
    number = int(text)
    if setting.minimum is not None and number < setting.minimum:
        raise WrongFormError(f"a whole number of at least {setting.minimum}")
    return number


def _switch(text: str) -> bool:
    try:
        return _SWITCHES[text.casefold()]
    except KeyError:
        raise WrongFormError("true or false (or 1 or 0)") from None
