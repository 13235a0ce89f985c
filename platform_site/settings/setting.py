"""What a setting is: its key, its form and its default; the table of all of them is
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
    """One setting; a `*` in its key is any one name at that place.

    `default` is text and goes through the same conversion as a given value; a list
    default is separated by semicolons, and empty text means "not set".
    """

    key: str
    kind: SettingKind
    meaning: str
    default: str = ""
    secret: bool = False
    minimum: int | None = None
    # The only texts it may have, in any letter case; empty: any text.
    choices: tuple[str, ...] = ()
    host_variable: str = ""
    # A file named for it that cannot be read is told, and does not stop the start.
    may_be_unreadable: bool = False

    @property
    def variable(self) -> str:
        """Name the environment variable that sets it (HOST-035)."""
        return self.host_variable or self.key.replace(":", "__")

    @property
    def is_family(self) -> bool:
        """Return whether it stands for many keys, one for each name given."""
        return "*" in self.key
