"""The services that write roles: their name and rights, and their deletion. Each write
records one change event. The rights of built-in roles are in `rights`."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from platform_site.accounts.built_in import ROLES
from platform_site.accounts.delegation import refuse_rights_beyond_own
from platform_site.accounts.models import Role
from platform_site.accounts.security_log import record_security_change
from platform_site.changes.services import ChangeEvent

_NAMED = 5


def save_role(*, role: Role, permissions: Iterable[Permission]) -> Role:
    """Save a role with exactly these rights; raise `ValidationError` for its name.

    Raise PermissionDenied if rights are added or removed that the actor doesn't have.
    The change event names each of these rights.
    """
    with transaction.atomic():
        stored = Role.objects.select_for_update().filter(pk=role.pk).first()
        if stored is not None and stored.name in ROLES and role.name != stored.name:
            raise ValidationError({"name": _("A built-in role can't be renamed.")})
        role.full_clean()
        given = {_key(each): each for each in permissions}
        had = set() if stored is None else {_key(each) for each in _rights_of(stored)}
        changes: dict[str, list[object]] = {}
        if stored is None or stored.name != role.name:
            changes["name"] = [None if stored is None else stored.name, role.name]
        for right in sorted(had ^ set(given)):
            changes[right] = [right in had, right in given]
        if not changes:
            return role
        refuse_rights_beyond_own(role, had ^ set(given))
        role.save()
        role.permissions.set(given.values())
        _record_written(role, changes, is_new=stored is None)
    return role


def delete_role(*, role: Role) -> None:
    """Delete a role; raise `ValidationError` while it is needed (see
    `why_not_deleted`)."""
    with transaction.atomic():
        Role.objects.select_for_update().get(pk=role.pk)
        reason = why_not_deleted(role)
        if reason:
            raise ValidationError(reason, code="in_use")
        refuse_rights_beyond_own(role, {_key(each) for each in _rights_of(role)})
        gone = {"name": [role.name, None]}
        record_security_change(ChangeEvent.Action.DELETED, role, gone)
        role.delete()


def why_not_deleted(role: Role) -> str:
    """Return why a role can't be deleted, an empty text if it can.

    Its users would lose rights without notice, and the next start would create a
    built-in role again with its default rights.
    """
    if role.name in ROLES:
        return _(
            "“%(role)s” is a built-in role and can't be deleted; remove rights from "
            "it instead."
        ) % {"role": role.name}
    names = list(role.user_set.order_by("username").values_list("username", flat=True))
    if not names:
        return ""
    shown = ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")
    words = {"role": role.name, "users": shown}
    return (
        _(
            "“%(role)s” is assigned to %(users)s. Remove the role from "
            "these users first."
        )
        % words
    )


def record_rights_given(
    role: Role, given: Iterable[Permission], *, created: bool
) -> None:
    """Record the rights that the platform gave to one of its roles."""
    changes: dict[str, list[object]] = {"name": [None, role.name]} if created else {}
    changes |= {key: [False, True] for key in sorted(_key(each) for each in given)}
    if changes:
        _record_written(role, changes, is_new=created)


def _record_written(
    role: Role, changes: dict[str, list[object]], *, is_new: bool
) -> None:
    actions = ChangeEvent.Action
    record_security_change(
        actions.CREATED if is_new else actions.UPDATED, role, changes
    )


def _rights_of(role: Group) -> Iterable[Permission]:
    return role.permissions.select_related("content_type")


def _key(permission: Permission) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"
