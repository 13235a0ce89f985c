"""The rules of delegation: what one account may do with another account or a role, so
that nobody gives rights that they don't have. The services enforce the rules; the admin
pages use them to offer only permitted changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from platform_site.accounts.built_in import ADMIN
from platform_site.changes.context import current

if TYPE_CHECKING:  # it imports this module itself
    from platform_site.accounts.models import User

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Reach:
    """The extent of an account's rights; ``everything`` is that of an administrator."""

    everything: bool
    staff: bool = False
    rights: frozenset[str] = frozenset()

    def covers(self, other: Reach) -> bool:
        """Return whether another reach is within this one."""
        if self.everything:
            return True
        staff = self.staff or not other.staff
        return not other.everything and staff and other.rights <= self.rights


_PRODUCT = Reach(everything=True)


def reach_of(user: User, roles: Iterable[Group] | None = None) -> Reach:
    """Return the reach of an account, with other roles than its own if given.

    For a locked or deactivated account it is the reach it would have. Takes two
    queries.
    """
    groups = list(user.groups.all() if roles is None else roles)
    if user.is_superuser or any(group.name == ADMIN for group in groups):
        return Reach(everything=True)
    by_role = Q(group__in=groups)
    own = by_role if user._state.adding else by_role | Q(user=user)
    rights = _names(Permission.objects.filter(own))
    return Reach(everything=False, staff=user.is_staff, rights=rights)


def own_reach() -> Reach:
    """Return the reach of the actor; without an actor the platform may do
    everything."""
    user: Any = current().user
    if user is None:
        return _PRODUCT
    if not user.is_active:
        return Reach(everything=False)
    return reach_of(user)


def covers_account(user: User) -> bool:
    """Return whether the actor may change an account and act for it."""
    return own_reach().covers(reach_of(user))


def covers_role(role: Group) -> bool:
    """Return whether the actor has every right of a role."""
    given = Reach(role.name == ADMIN, rights=_names(role.permissions.all()))
    return own_reach().covers(given)


def own_rights() -> QuerySet[Permission]:
    """Return the rights that the actor may give to others."""
    every, own = Permission.objects.all(), own_reach()
    if own.everything:
        return every
    user: Any = current().user
    return every.filter(Q(group__user=user) | Q(user=user)).distinct()


def refuse_beyond_own(user: User, roles: Iterable[Group] | None = None) -> None:
    """Raise PermissionDenied if an account has more rights than the actor.

    Changing it, setting its password or acting for it would give the actor these
    rights.
    """
    if own_reach().covers(reach_of(user, roles)):
        return
    words = {"actor": current().user, "user": user}
    if roles is None:
        sentence = _(
            "“%(actor)s” can't change or act for “%(user)s”, because “%(user)s” has "
            "more rights; ask an administrator."
        )
    else:
        sentence = _(
            "“%(actor)s” may not give “%(user)s” these roles or flags, which allow more "
            "than “%(actor)s” may do; ask an administrator."
        )
    raise PermissionDenied(sentence % words)


def refuse_anothers_key(user: User) -> None:
    """Raise PermissionDenied if a key is for another user and the actor isn't an
    administrator."""
    actor: Any = current().user
    if actor is None or actor.pk == user.pk or own_reach().everything:
        return
    words = {"actor": actor, "user": user}
    sentence = _(
        "“%(actor)s” may create API keys for “%(actor)s” only, not for “%(user)s”; ask "
        "an administrator."
    )
    raise PermissionDenied(sentence % words)


def refuse_rights_beyond_own(role: Group, changed: Iterable[str]) -> None:
    """Raise PermissionDenied for changed rights of a role that the actor doesn't have.

    Only administrators may change the role of administrators.
    """
    own = own_reach()
    lacking = sorted(set(changed) - own.rights)
    if own.everything or (role.name != ADMIN and not lacking):
        return
    words = {
        "actor": current().user,
        "role": role.name,
        "rights": ", ".join(lacking[:_NAMED]) + (" …" if lacking[_NAMED:] else ""),
    }
    if role.name == ADMIN:
        sentence = _(
            "“%(actor)s” may not change the role “%(role)s”; ask an administrator."
        )
    else:
        sentence = _(
            "“%(actor)s” may not change these rights of “%(role)s” without having them: "
            "%(rights)s."
        )
    raise PermissionDenied(sentence % words)


def _names(permissions: Any) -> frozenset[str]:
    pairs = permissions.order_by().values_list("content_type__app_label", "codename")
    return frozenset(f"{label}.{codename}" for label, codename in pairs)
