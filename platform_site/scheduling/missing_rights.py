"""The rights that the account of a job lacks: shown before the job is saved, and granted
by a role of the data processor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import Q

from platform_site.accounts.account_rights import rights_of_accounts
from platform_site.accounts.admin.roles import RoleLabels
from platform_site.accounts.delegation import covers_account, own_rights
from platform_site.accounts.models import Role, User
from platform_site.accounts.roles import save_role
from platform_site.accounts.services import update_user
from platform_site.processing.registry import find_processor, processors
from platform_site.processing.rights import rights_needed
from platform_site.scheduling.models import Job

# What one needs oneself to give rights by a role.
_TO_GRANT = (
    "accounts.add_role",
    "accounts.change_role",
    "accounts.change_user",
    "accounts.view_role",
)


def missing_rights(processor: str, user: User | None) -> list[Permission]:
    """Return the rights that a data processor needs and a user lacks, as far as it is
    known before an execution."""
    found = find_processor(processor)
    wanted = [] if found is None or user is None else rights_needed(found)
    lacking = [right for right in wanted if user and not user.has_perm(right)]
    if not lacking:
        return []
    pairs = (right.partition(".") for right in lacking)
    these = reduce(
        or_,
        (Q(content_type__app_label=app, codename=name) for app, _dot, name in pairs),
    )
    known = Permission.objects.filter(these).select_related("content_type")
    return sorted(known, key=lambda each: lacking.index(_key(each)))


def rights_missing_to_jobs(jobs: Sequence[Job]) -> dict[int, list[str]]:
    """Return the rights that the accounts of jobs lack, by the key of the job, with a
    constant number of queries; jobs that lack none aren't in it."""
    known = processors()
    accounts = {job.run_as_id: job.run_as for job in jobs if job.run_as is not None}
    rights = rights_of_accounts(accounts.values())
    lacking = {
        job.pk: rights[job.run_as.pk].lacking(rights_needed(known[job.processor]))
        for job in jobs
        if job.run_as is not None and job.processor in known
    }
    return {key: names for key, names in lacking.items() if names}


def may_grant(reader: User, user: User, rights: Sequence[Permission]) -> bool:
    """Return whether a reader may give a user rights: those that the reader has."""
    if not reader.has_perms(_TO_GRANT) or not covers_account(user):
        return False
    return own_rights().filter(pk__in=[r.pk for r in rights]).count() == len(rights)


def grant(processor: str, user: User, rights: Sequence[Permission]) -> Role:
    """Give a user rights by a role that is called as the right to execute the processor,
    and return it.

    Raise PermissionDenied for rights that the actor doesn't have.
    """
    with transaction.atomic():
        name = f"Execute{processor}"
        known: Any = Role.objects.filter(name=name).first()
        had = [] if known is None else list(known.permissions.all())
        role = save_role(role=known or Role(name=name), permissions=[*had, *rights])
        names = user.groups.values_list("name", flat=True)
        update_user(user=user, roles={*names, name})
    return role


def rights_in_words(rights: Sequence[Permission]) -> str:
    """Return rights as one text, as the history of a role calls them."""
    return names_in_words([_key(each) for each in rights])


def names_in_words(names: Sequence[str], labels: RoleLabels | None = None) -> str:
    """Return rights as one text, by their names ``app.codename``."""
    labels = labels or RoleLabels(Role)
    return ", ".join(labels.label(name) for name in names)


def _key(right: Permission) -> str:
    return f"{right.content_type.app_label}.{right.codename}"
