"""The licence limit of accounts: people count, active or not, and programs don't
(OPEN-68). Existing accounts are never blocked."""

from __future__ import annotations

from importer import LimitReached
from licensing.limits import judge_users
from licensing.services import current_limits
from platform_site.accounts.built_in import ADMIN_ACCOUNT
from platform_site.accounts.models import User


def refuse_person_too_many(user: User) -> None:
    """Raise LimitReached if the licence has no room for another person.

    It must be called in the transaction that makes the account a person's. The built-in
    account is exempt, because every start creates it if it is missing.
    """
    if user.is_service or user.username == ADMIN_ACCOUNT:
        return
    limits = current_limits()
    if limits.users is None:
        return
    others = User.objects.filter(is_service=False).exclude(pk=user.pk)
    # Locks a common row, so that two new people don't take the same place.
    list(others.select_for_update(no_key=True).order_by("pk").values_list("pk")[:1])
    used = others.count()
    reason = judge_users(limits, used + 1)
    if reason is not None:
        raise LimitReached.of(reason, limit="users", used=used, allowed=limits.users)
