"""The rights of many accounts at once, with a constant number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from platform_site.accounts.built_in import ADMIN
from platform_site.accounts.delegation import Reach, own_reach
from platform_site.accounts.models import User


@dataclass(slots=True)
class AccountRights:
    """The rights of one account, as ``app.codename``."""

    everything: bool = False
    names: set[str] = field(default_factory=set)

    def lacking(self, wanted: Iterable[str]) -> list[str]:
        """Return those of the wanted rights that the account doesn't have."""
        if self.everything:
            return []
        return [name for name in wanted if name not in self.names]


def rights_of_accounts(users: Iterable[User]) -> dict[int, AccountRights]:
    """Return the rights of each account by its key, with two queries.

    A deactivated account has those that it would have.
    """
    found: dict[int, AccountRights] = defaultdict(AccountRights)
    for user in users:
        found[user.pk].everything = user.is_superuser
    accounts = User.objects.filter(pk__in=list(found))
    for path in ("user_permissions", "groups__permissions"):
        of_accounts = accounts.filter(**{f"{path}__isnull": False}).values_list(
            "pk", f"{path}__content_type__app_label", f"{path}__codename"
        )
        for key, app, codename in of_accounts:
            found[key].names.add(f"{app}.{codename}")
    return dict(found)


def covered_accounts(users: Iterable[User]) -> set[int]:
    """Return the keys of the accounts that the actor may act for, see `delegation`."""
    known = {user.pk: user for user in users}
    own = own_reach()
    if own.everything:
        return set(known)
    rights = rights_of_accounts(known.values())
    of_administrators = User.objects.filter(pk__in=list(known), groups__name=ADMIN)
    above = set(of_administrators.values_list("pk", flat=True))
    return {
        key
        for key, user in known.items()
        if own.covers(
            Reach(
                everything=key in above or user.is_superuser,
                staff=user.is_staff,
                rights=frozenset(rights[key].names),
            )
        )
    }
