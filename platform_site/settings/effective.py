"""The effective settings: typed values by key, each with its source. The loader fills
them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from platform_site.settings.values import Value

_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class Effective:
    """The effective value of a setting, and its source.

    `trouble` tells why the source couldn't be read if that doesn't stop the start.
    """

    key: str
    value: Value
    source: str
    secret: bool
    trouble: str = ""

    @property
    def shown(self) -> str:
        """Return the value for display, with secrets masked."""
        if self.trouble:
            return "unreadable"
        if self.value is None or self.value in ("", ()):
            return ""
        if self.secret:
            return "********"
        if isinstance(self.value, tuple):
            return "; ".join(self.value)
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        return str(self.value)


class EffectiveSettings:
    """Typed values by case-insensitive key (OPEN-93)."""

    def __init__(
        self,
        effective: Mapping[str, Effective],
        *,
        environment: str,
        warnings: Iterable[str] = (),
    ) -> None:
        self._effective = dict(effective)
        self.environment = environment
        self.warnings = tuple(warnings)

    @property
    def is_development(self) -> bool:
        """Return whether the environment is Development (OPEN-91)."""
        return self.environment == "Development"

    def text(self, key: str) -> str:
        """Return a text, empty if it is not set."""
        return self._typed(key, str)

    def number(self, key: str) -> int:
        """Return a whole number."""
        return self._typed(key, int)

    def number_or_none(self, key: str) -> int | None:
        """Return a whole number, None if it is not set."""
        return None if self.effective(key).value is None else self.number(key)

    def switch(self, key: str) -> bool:
        """Return a boolean."""
        return self._typed(key, bool)

    def duration(self, key: str) -> timedelta:
        """Return a time span."""
        return self._typed(key, timedelta)

    def list(self, key: str) -> tuple[str, ...]:
        """Return the entries of a list."""
        return self._typed(key, tuple)

    def source(self, key: str) -> str:
        """Return the file or variable of the value."""
        return self.effective(key).source

    def effective(self, key: str) -> Effective:
        """Return value and source of a declared setting; raise KeyError for others."""
        return self._effective[key.casefold()]

    def all_effective(self) -> tuple[Effective, ...]:
        """Return every setting in the order of the table, with the flags in their
        place."""
        return tuple(self._effective.values())

    def flags(self) -> dict[str, bool]:
        """Return the feature flags by folded name (OPEN-118)."""
        return {name: bool(v) for name, v in self.named("FeatureManagement:*").items()}

    def named(self, family: str) -> dict[str, Value]:
        """Return the values of a family of settings by folded name."""
        before, _, after = family.casefold().partition("*")
        return {
            key.removeprefix(before).removesuffix(after): effective.value
            for key, effective in self._effective.items()
            if key.startswith(before)
            and key.endswith(after)
            and ":" not in key.removeprefix(before).removesuffix(after)
        }

    def _typed(self, key: str, kind: type[_V]) -> _V:
        value = self.effective(key).value
        if not isinstance(value, kind):
            raise TypeError(f"The setting {key} is declared with another type.")
        return value
