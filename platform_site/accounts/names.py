"""The rules for names of accounts and roles: how they are compared, so that none is
mistaken for another, and which are reserved."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from platform_site.accounts.built_in import FOR_GOOD, JOBS_SCHEDULER, ROLES

if TYPE_CHECKING:  # it imports this module itself
    from platform_site.accounts.models import User

# The fixed properties of the scheduler's account.
_FIXED: Final = {
    "username": JOBS_SCHEDULER,
    "is_staff": False,
    "is_superuser": False,
    "is_service": True,
    "locked_until": FOR_GOOD,
}


def folded(name: str) -> str:
    """Return the form in which names are compared, without regard to case and
    spacing."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())[:150]


def is_scheduler(user: User) -> bool:
    """Return whether it is the scheduler's account, for which nobody may act."""
    return user.username == JOBS_SCHEDULER


def always_locked() -> str:
    """Return the sentence on the limits of the scheduler's account (HOST-089)."""
    return _(
        "“%(name)s” is reserved for scheduled jobs: it can't be renamed or unlocked, "
        "and can't have a password or access to the pages. Use another account."
    ) % {"name": JOBS_SCHEDULER}


def refuse_scheduler(user: User) -> None:
    """Raise `ValidationError` for the scheduler's account."""
    if is_scheduler(user):
        raise ValidationError(always_locked(), code="always_locked")


def check_account(stored: User | None, user: User) -> None:
    """Raise `ValidationError` for forbidden changes of the scheduler's account, and for
    a name that is easily confused with its name."""
    if stored is not None and is_scheduler(stored):
        wrong = [
            column
            for column, value in _FIXED.items()
            if getattr(user, column) not in (value, getattr(stored, column))
        ]
        if wrong:
            raise ValidationError(dict.fromkeys(wrong, always_locked()))
        return
    if stored is not None and stored.username == user.username:
        return
    # The platform creates a missing one with exactly this name.
    free = stored is None and is_scheduler(user)
    if folded(user.username) == JOBS_SCHEDULER and not free:
        words = {"name": JOBS_SCHEDULER}
        sentence = _(
            "This name is easy to confuse with “%(name)s”; choose another name."
        )
        raise ValidationError({"username": sentence % words})


def check_role_name(name: str, others: Iterable[str]) -> None:
    """Raise `ValidationError` unless a name is one line and unlike that of other roles.

    The names of built-in roles are reserved, even if such a role is missing.
    """
    if not name.isprintable():
        raise ValidationError(
            {"name": _("Use one line of visible characters for the name.")}
        )
    taken = {folded(each) for each in {*others, *ROLES} if each != name}
    if folded(name) in taken:
        raise ValidationError(
            {"name": _("A role with this name already exists; choose another name.")}
        )
