"""The services that write accounts, for the admin pages, the seeding, the demo data and
the API. Each write records one change event."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypedDict, Unpack
from uuid import UUID

from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import AnonymousUser, Group
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.api_keys import delete_api_key
from platform_site.accounts.built_in import (
    ADMIN,
    ADMIN_ACCOUNT,
    DEFAULT_ADMIN_PASSWORD,
    FOR_GOOD,
    opens_pages,
)
from platform_site.accounts.delegation import refuse_beyond_own
from platform_site.accounts.descriptions import COLUMNS, describe, difference
from platform_site.accounts.licence_guard import refuse_person_too_many
from platform_site.accounts.models import ApiKey, Installation, User
from platform_site.accounts.names import is_scheduler, refuse_scheduler
from platform_site.changes.services import ChangeEvent

# Without those that look alike.
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_MOST_NAMED: Final = 3
_ADMIN_KNOWN: Final = "_has_admin_role"


class UserAttributes(TypedDict, total=False):
    """The optional attributes of a new account."""

    first_name: str
    last_name: str
    time_zone: str
    language: str
    is_active: bool
    is_staff: bool
    is_superuser: bool
    is_service: bool
    locked_until: datetime.datetime | None


def create_user(
    *,
    user_name: str,
    password: str,
    email: str = "",
    roles: Iterable[str] = (),
    **attributes: Unpack[UserAttributes],
) -> User:
    """Create an account; raise `ValidationError` by field for invalid values.

    The strength of the password is checked by forms, not here.
    """
    user = User(username=user_name, email=email, **attributes)
    _give_password(user, password)
    return add_user(user=user, roles=roles)


def add_user(*, user: User, roles: Iterable[str]) -> User:
    """Save a new account that has its values and password set.

    Raise LimitReached if the licence has no room for another person, and
    PermissionDenied if the account would have more rights than the actor.
    """
    with transaction.atomic():
        groups = _groups(roles)
        names = [group.name for group in groups]
        user.is_staff = user.is_staff or _uses_pages(user, names)
        refuse_beyond_own(user, groups)
        user.full_clean()
        refuse_person_too_many(user)
        user.recorded_by_service = True
        user.save(force_insert=True)
        user.groups.set(groups)
        changes = difference(None, describe(user, names))
        user.record(ChangeEvent.Action.CREATED, changes)
    return user


def update_user(*, user: User, roles: Iterable[str] | None = None) -> User:
    """Save the changes of `user`, and its roles if given.

    A lock or deactivation ends every token and session for good. Other roles decide anew
    whether the account uses the pages. Raise PermissionDenied if the account has, or
    would get, more rights than the actor.
    """
    with transaction.atomic():
        stored = User.objects.select_for_update().get(pk=user.pk)
        refuse_beyond_own(stored)
        old_names = list(stored.groups.values_list("name", flat=True))
        groups = None if roles is None else _groups(roles)
        names = old_names if groups is None else [group.name for group in groups]
        if set(names) != set(old_names):
            user.is_staff = user.is_superuser or _uses_pages(user, names)
        if groups is not None or _flags(user) != _flags(stored):
            refuse_beyond_own(user, stored.groups.all() if groups is None else groups)
        # The password is set by its own service.
        user.full_clean(exclude=["password"])
        if stored.is_service:
            refuse_person_too_many(user)
        changes = difference(describe(stored, old_names), describe(user, names))
        columns = [COLUMNS[name] for name in changes if name in COLUMNS]
        if {"lockedUntil", "isActive"} & set(changes) and not can_sign_in(user):
            user.end_tokens()
            columns.append("token_stamp")
        if columns:
            user.save(update_fields=columns)
        if groups is not None and "roles" in changes:
            user.groups.set(groups)
            vars(user).pop(_ADMIN_KNOWN, None)
        if changes:
            user.record(ChangeEvent.Action.UPDATED, changes)
    return user


def set_one_time_password(*, user: User) -> str:
    """Set a random password with which its owner signs in once, to choose another, and
    return it.

    Raise `ValidationError` for the scheduler.
    """
    refuse_scheduler(user)
    password = one_time_password()
    user.set_password(password)
    user.password_is_one_time = True
    user.save(update_fields=["password"])
    return password


def one_time_password() -> str:
    """Return a random password that can be read out and typed."""
    groups = ["".join(secrets.choice(_LETTERS) for _each in range(4)) for _ in range(3)]
    return "-".join(groups)


def set_password(*, user: User, password: str) -> None:
    """Set the password of an account, which ends its sessions and tokens.

    Raise `ValidationError` for the scheduler.
    """
    refuse_scheduler(user)
    _give_password(user, password)
    # The change event is written by the model, which also serves Django's own pages.
    user.save(update_fields=["password"])


def end_sign_ins(*, user: User) -> None:
    """End every session, token and known device of an account; API keys stay valid."""
    refuse_beyond_own(user)
    with transaction.atomic():
        user.end_tokens()
        user.save(update_fields=["token_stamp"])
        user.record(ChangeEvent.Action.UPDATED, {"signIns": ["valid", "ended"]})


def lock_user(*, user: User, until: datetime.datetime | None = None) -> None:
    """Lock sign-in with a password until a time, by default for good (OPEN-115)."""
    user.locked_until = until or FOR_GOOD
    update_user(user=user)


def unlock_user(*, user: User) -> None:
    """Allow sign-in again; raise `ValidationError` for the scheduler (HOST-089)."""
    refuse_scheduler(user)
    user.locked_until = None
    update_user(user=user)


def delete_user(*, user: User) -> None:
    """Delete the account and its API keys, each with its own event. Its changes stay in
    the history under its name. Raise `ValidationError` for the scheduler."""
    refuse_scheduler(user)
    refuse_beyond_own(user)
    with transaction.atomic():
        for key in ApiKey.objects.filter(user=user):
            delete_api_key(key=key)
        roles = list(user.groups.values_list("name", flat=True))
        # The event comes first, since users may delete their own account.
        changes = difference(describe(user, roles), None)
        user.record(ChangeEvent.Action.DELETED, changes)
        user.delete()


def check_roles(roles: Iterable[str]) -> None:
    """Raise `ValidationError` with the roles that don't exist."""
    _groups(roles)


def can_sign_in(user: User) -> bool:
    """Return whether `user` may sign in and stay signed in: active and not locked.

    The scheduler's account may not, whatever its row contains.
    """
    return user.is_active and not user.is_locked and not is_scheduler(user)


def is_administrator(user: User | AnonymousUser) -> bool:
    """Return whether `user` is active and a superuser or has the role admin
    (OPEN-59)."""
    if not isinstance(user, User) or not user.is_active:
        return False
    if user.is_superuser:
        return True
    known = vars(user)
    if _ADMIN_KNOWN not in known:
        # Once for each loaded account, as Django reads its rights: a page asks often.
        known[_ADMIN_KNOWN] = user.groups.filter(name=ADMIN).exists()
    return bool(known[_ADMIN_KNOWN])


def administrators_to_ask(user: User) -> list[str]:
    """Return the names of a few administrators other than `user`."""
    people = User.objects.filter(is_active=True, is_service=False).exclude(pk=user.pk)
    chosen = people.filter(Q(is_superuser=True) | Q(groups__name=ADMIN)).distinct()
    return [
        each.get_full_name() or each.username
        for each in chosen.order_by("username")[:_MOST_NAMED]
    ]


def default_password_is_unchanged() -> bool:
    """Return whether `admin` still has the documented first password (OPEN-114)."""
    stored = User.objects.filter(username=ADMIN_ACCOUNT).values_list("password")
    return any(_is_of_default(found) for (found,) in stored)


def has_default_password(user: User) -> bool:
    """Return whether this account has the documented first password, without a
    query."""
    return _is_of_default(user.password)


@lru_cache(maxsize=8)
def _is_of_default(stored: str) -> bool:
    """Return whether a hash is that of the default password; cached, since it is
    slow."""
    # Not the model's own check, which may update the hash.
    return check_password(DEFAULT_ADMIN_PASSWORD, stored)


def installation_id() -> UUID:
    """Return the id of this installation, created by the first call (OPEN-85)."""
    with transaction.atomic():
        found = Installation.objects.first() or Installation.objects.create()
    return found.id


def _uses_pages(user: User, roles: Iterable[str]) -> bool:
    """Return whether a person with these roles uses the pages; programs never do."""
    return opens_pages(roles) and not (user.is_service or is_scheduler(user))


def _flags(user: User) -> tuple[bool, bool]:
    return user.is_staff, user.is_superuser


def _give_password(user: User, password: str) -> None:
    if not password:
        raise ValidationError(
            {"password": _("Enter a password; it can't be empty.")}, code="required"
        )
    user.set_password(password)


def _groups(roles: Iterable[str]) -> list[Group]:
    wanted = sorted(set(roles))
    found = list(Group.objects.filter(name__in=wanted).order_by("name"))
    unknown = [name for name in wanted if name not in {group.name for group in found}]
    if unknown:
        known = Group.objects.order_by("name").values_list("name", flat=True)
        message = _("There is no role “%(unknown)s”; the roles are: %(known)s.") % {
            "unknown": "”, “".join(unknown),
            "known": ", ".join(known),
        }
        raise ValidationError({"roles": message}, code="unknown_role")
    return found
