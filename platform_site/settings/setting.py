"""The declaration of a setting: key, kind and default. The table is
`platform_site/settings/known.toml`."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class SettingKind(StrEnum):
    """The form that a setting's text must have."""

    TEXT = "text"
    WHOLE_NUMBER = "whole number"
    SWITCH = "true or false"
    DURATION = "days, or d.hh:mm:ss"
    LIST = "list"


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One setting; a `*` in its key means any one name in that place.

    `default` is text and is converted like a given value; a list default is separated
    by semicolons, and empty text means "not set".
    """

    key: str
    kind: SettingKind
    meaning: str
    default: str = ""
    secret: bool = False
    minimum: int | None = None
    # The allowed texts in any letter case; empty: any text.
    choices: tuple[str, ...] = ()
    host_variable: str = ""
    # An unreadable file named for it is reported and doesn't stop the start.
    may_be_unreadable: bool = False

    @property
    def variable(self) -> str:
        """Return the environment variable that sets it (HOST-035)."""
        return self.host_variable or self.key.replace(":", "__")

    @property
    def is_family(self) -> bool:
        """Return whether it means many keys, one for each given name."""
        return "*" in self.key
