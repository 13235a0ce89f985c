"""The registry of presets for roles: rights to begin a new role with.

Every installed app may have a module ``role_presets.py``, found as Django finds
``admin.py``, that calls ``register``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import Permission
from django.utils.functional import Promise

from platform_site.accounts.meaningful_rights import EXECUTE, is_meaningful, verb_of

# In the place of a model: all of them.
EVERY = "*"


@dataclass(frozen=True, slots=True)
class RolePreset:
    """Rights to begin a role with.

    `verbs` has the verbs for each model ``app_label.model``, or for all of `EVERY`
    other; data processors have the verb `execute`.
    """

    name: str
    title: str | Promise
    verbs: Mapping[str, Iterable[str]]
    # The apps whose models `EVERY` means.
    apps: Iterable[str] = ()

    def includes(self, right: Permission) -> bool:
        """Return whether a role of this preset has a right."""
        if not is_meaningful(right):
            return False
        kind, verb = right.content_type, verb_of(right)
        if verb == EXECUTE:
            return EXECUTE in self.verbs.get(EVERY, ())
        own = self.verbs.get(f"{kind.app_label}.{kind.model}")
        if own is None and kind.app_label in self.apps:
            own = self.verbs.get(EVERY, ())
        return verb in (own or ())


_presets: dict[str, RolePreset] = {}


def register(*presets: RolePreset) -> None:
    """Register presets; the last one with a name counts."""
    _presets.update({preset.name: preset for preset in presets})


def role_presets() -> list[RolePreset]:
    """Return the presets in the order of their registration."""
    return list(_presets.values())


def role_preset(name: str) -> RolePreset | None:
    """Return the preset with a name, None for an unknown one."""
    return _presets.get(name)
