"""The default rights of the three built-in roles. Seeding gives each right once, when
Django has created its permission."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.contrib.auth.models import Group, Permission
from django.db import transaction

from platform_site.accounts.built_in import ADMIN, EMPLOYEE, ROLES, USER
from platform_site.accounts.models import Role, SeededPermission
from platform_site.accounts.roles import record_rights_given
from platform_site.settings.apps import business_labels

_EMPLOYEE_VERBS: Final = frozenset(
    {"view", "add", "change", "delete", "post", "unpost"}
)
_USER_VERBS: Final = frozenset({"view"})
# The right to execute a data processor is written as one word (OPEN-72).
_EXECUTE: Final = "Execute"


def seed_roles() -> None:
    """Create missing roles and give them new rights (OPEN-116).

    A role that was missing gets all default rights.
    """
    with transaction.atomic():
        missing = _create_missing_roles()
        if not missing and not _new_permissions():
            return
        # Of two concurrent starts the second waits here and then finds nothing new.
        groups: dict[str, Any] = {
            group.name: group
            for group in Role.objects.select_for_update()
            .filter(name__in=ROLES)
            .order_by("pk")
        }
        new = _new_permissions()
        for name, group in groups.items():
            seeds = _permissions() if name in missing else new
            given = [each for each in seeds if is_default(name, each)]
            group.permissions.add(*given)
            record_rights_given(group, given, created=name in missing)
        SeededPermission.objects.bulk_create(
            [
                SeededPermission(app_label=label, codename=codename)
                for label, codename in sorted({_key(each) for each in new})
            ],
            ignore_conflicts=True,
        )


def is_default(role: str, permission: Permission) -> bool:
    """Return whether `role` gets `permission` when it first appears."""
    if role == ADMIN:
        return True
    if permission.codename.startswith(_EXECUTE):
        return role == EMPLOYEE
    if permission.content_type.app_label not in business_labels():
        return False
    verb = permission.codename.partition("_")[0]
    verbs = {EMPLOYEE: _EMPLOYEE_VERBS, USER: _USER_VERBS}.get(role, frozenset())
    return verb in verbs


def _create_missing_roles() -> set[str]:
    there = set(Group.objects.filter(name__in=ROLES).values_list("name", flat=True))
    created = {
        name: Group.objects.get_or_create(name=name)[1]
        for name in ROLES
        if name not in there
    }
    return {name for name, is_new in created.items() if is_new}


def _permissions() -> Iterable[Permission]:
    return Permission.objects.select_related("content_type").order_by("pk")


def _new_permissions() -> list[Permission]:
    known = set(SeededPermission.objects.values_list("app_label", "codename"))
    return [each for each in _permissions() if _key(each) not in known]


def _key(permission: Permission) -> tuple[str, str]:
    return permission.content_type.app_label, permission.codename
