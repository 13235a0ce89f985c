"""The registry of checks that tell what some accounts can no longer do.

The pages of users and roles say it after a change: a job, for example, whose account has
lost a right that it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.http import HttpRequest

from platform_site.accounts.models import User

# Returns a sentence for each thing that doesn't work for the accounts.
Check = Callable[[list[User]], Iterable[str]]

_checks: list[Check] = []


def register(check: Check) -> None:
    """Register a check."""
    _checks.append(check)


@contextmanager
def telling(request: HttpRequest, users: Any) -> Iterator[None]:
    """Show as warnings what no longer works after the changes inside the block.

    `users` is a queryset, evaluated before and after them.
    """
    before = _found(users)
    yield
    for sentence in _found(users):
        if sentence not in before:
            messages.warning(request, sentence)


def _found(users: Any) -> list[str]:
    accounts = list(users.all())
    return [sentence for check in _checks for sentence in check(accounts)]
