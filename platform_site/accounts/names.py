"""The rules for names: how they are compared, so that none is mistaken for another, and
which names of accounts and roles are reserved."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from platform_site.accounts.built_in import FOR_GOOD, JOBS_SCHEDULER, ROLES

if TYPE_CHECKING:  # it imports this module itself
    from platform_site.accounts.models import User

# What the scheduler's account was created with, and keeps.
_FIXED: Final = {
    "username": JOBS_SCHEDULER,
    "is_staff": False,
    "is_superuser": False,
    "is_service": True,
    "locked_until": FOR_GOOD,
}


def folded(name: str) -> str:
    """Return a name as it is compared: other spellings are no other name."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())[:150]


def is_scheduler(user: User) -> bool:
    """Tell whether it is the account of the scheduler, which nobody may act as."""
    return user.username == JOBS_SCHEDULER


def always_locked() -> str:
    """Return why the account of the scheduler is not like others (HOST-089)."""
    return _(
        "“%(name)s” is reserved for scheduled jobs: it can't be renamed or unlocked, "
        "and can't have a password or access to the pages. Use another account."
    ) % {"name": JOBS_SCHEDULER}


def refuse_scheduler(user: User) -> None:
    """Raise `ValidationError` for the account of the scheduler."""
    if is_scheduler(user):
        raise ValidationError(always_locked(), code="always_locked")


def check_account(stored: User | None, user: User) -> None:
    """Raise `ValidationError` by field for what the scheduler's account can't become,
    and for a name that could be taken for its name."""
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
    # A missing one is created by the platform, under exactly this name.
    free = stored is None and is_scheduler(user)
    if folded(user.username) == JOBS_SCHEDULER and not free:
        words = {"name": JOBS_SCHEDULER}
        sentence = _(
            "This name is easy to confuse with “%(name)s”; choose another name."
        )
        raise ValidationError({"username": sentence % words})


def check_role_name(name: str, others: Iterable[str]) -> None:
    """Raise `ValidationError` unless a name is one line and like that of no other role.

    The names of the platform's own roles are taken, even where one is missing.
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
