"""The licence limit of accounts: people are counted, active or not, programs are not
(OPEN-68). Existing accounts are never blocked."""

from __future__ import annotations

from importer import LimitReached, Problem
from licensing.limits import judge_users
from licensing.services import current_limits
from platform_site.accounts.built_in import ADMIN_ACCOUNT
from platform_site.accounts.models import User


def refuse_person_too_many(user: User) -> None:
    """Raise LimitReached if the licence has no room for one more person.

    To be called in the transaction that makes the account a person's. The account
    every installation begins with is let in: each start creates it when it is missing.
    """
    if user.is_service or user.username == ADMIN_ACCOUNT:
        return
    limits = current_limits()
    if limits.users is None:
        return
    others = User.objects.filter(is_service=False).exclude(pk=user.pk)
    # One row of those there are, so that two new people do not take the same place.
    list(others.select_for_update(no_key=True).order_by("pk").values_list("pk")[:1])
    used = others.count()
    reason = judge_users(limits, used + 1)
    if reason is not None:
        raise LimitReached(
            [Problem("", reason, "limit-reached")],
            limit="users",
            used=used,
            allowed=limits.users,
        )
