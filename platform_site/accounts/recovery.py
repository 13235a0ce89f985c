"""Recovery of an installation that nobody can administer: an operator at the server
sets an administrator's password and enables the account again."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from platform_site.accounts.built_in import (
    ADMIN,
    ADMIN_ACCOUNT,
    DEFAULT_ADMIN_PASSWORD,
)
from platform_site.accounts.models import User
from platform_site.accounts.services import (
    can_sign_in,
    create_user,
    is_administrator,
    set_password,
    update_user,
)
from platform_site.accounts.throttling import forget_failures
from platform_site.log_context import logged_with

_NAMED = 5


class NotToBeReset(Exception):
    """The sentence on why an account can't be reset, and which ones can."""


@dataclass(frozen=True, slots=True)
class ResetOrder:
    """The account that gets a password, an existing one or a new one."""

    user: User
    enable: bool

    @property
    def creates(self) -> bool:
        """Return whether the account doesn't exist yet."""
        return self.user._state.adding


def order_reset(user_name: str = "", *, enable: bool = False) -> ResetOrder:
    """Return the account to reset; raise NotToBeReset if it can't be.

    Without a name it is `admin`, which is created if there is no administrator at all.
    """
    name = user_name or ADMIN_ACCOUNT
    user = User.objects.filter(username=name).first()
    if user is None:
        others = _administrators()
        if others or name != ADMIN_ACCOUNT:
            raise NotToBeReset(f'There is no account "{name}".' + _instead(others))
        return ResetOrder(User(username=name), enable=enable)
    if user.is_service:
        raise NotToBeReset(
            f'"{name}" is a program\'s account, which nobody signs in with.'
        )
    if not (enable or user.is_superuser or user.groups.filter(name=ADMIN).exists()):
        raise NotToBeReset(
            f'"{name}" isn\'t an administrator; --enable makes it one.'
            + _instead(_administrators())
        )
    return ResetOrder(user, enable=enable)


def reset_administrator(order: ResetOrder, password: str) -> User:
    """Set the password of the account, which ends its sessions and tokens.

    With `enable` the account becomes an active, unlocked administrator. All waits after
    wrong passwords end. Raise ValidationError if the password is too weak.
    """
    _check(password, order.user)
    with logged_with(via="command"), transaction.atomic():
        forget_failures()
        return _created(order, password) if order.creates else _changed(order, password)


def _created(order: ResetOrder, password: str) -> User:
    return create_user(
        user_name=order.user.username,
        password=password,
        roles=[ADMIN],
        is_superuser=True,
    )


def _changed(order: ResetOrder, password: str) -> User:
    user = order.user
    if order.enable:
        user.is_active = user.is_staff = user.is_superuser = True
        user.locked_until = None
        roles = set(user.groups.values_list("name", flat=True))
        update_user(user=user, roles=roles | {ADMIN})
    set_password(user=user, password=password)
    return user


def is_usable(user: User) -> bool:
    """Return whether the account can sign in and administer now."""
    return can_sign_in(user) and user.is_staff and is_administrator(user)


def _check(password: str, user: User) -> None:
    if password == DEFAULT_ADMIN_PASSWORD:
        raise ValidationError("That password is in the documentation; choose another.")
    validate_password(password, user)


def _administrators() -> list[str]:
    """Return the names of the people who are administrators, active or not."""
    people = User.objects.filter(is_service=False)
    found = people.filter(is_superuser=True) | people.filter(groups__name=ADMIN)
    return sorted(set(found.values_list("username", flat=True)))


def _instead(others: list[str]) -> str:
    if not others:
        return " There is no administrator; omit --user to create one."
    names = ", ".join(others[:_NAMED]) + (" …" if len(others) > _NAMED else "")
    return f" The administrators are: {names}. Name one with --user."
