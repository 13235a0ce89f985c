"""The registry of what people start from the start page: the entries they make every
day, and the first steps in an empty installation.

Every installed app may have a module ``quick_actions.py``, found as Django finds
``admin.py``, that calls ``register``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise

Text = str | Promise


@dataclass(frozen=True, slots=True)
class QuickAction:
    """A link on the start page.

    With a ``reason``, a sentence why to do this first, it is a first step, and is shown
    only as long as the installation is empty.
    """

    title: Text
    url_name: str
    icon: str
    seen_by: Callable[[Any], bool]
    reason: Text = ""
    order: int = 100

    @property
    def url(self) -> str:
        """Return the address, empty if the project hasn't got the page."""
        try:
            return reverse(self.url_name)
        except NoReverseMatch:
            return ""


_actions: list[QuickAction] = []


def register(*actions: QuickAction) -> None:
    """Add links to the start page."""
    _actions.extend(actions)


def actions_for(user: Any) -> list[QuickAction]:
    """Return the daily entries a user may make, in their order."""
    return [action for action in _seen_by(user) if not action.reason]


def first_steps_for(user: Any) -> list[QuickAction]:
    """Return what a user may do first in an empty installation."""
    return [action for action in _seen_by(user) if action.reason]


def _seen_by(user: Any) -> list[QuickAction]:
    seen = [each for each in _actions if each.seen_by(user) and each.url]
    return sorted(seen, key=lambda action: action.order)
