"""The rules of delegation: what one account may do with another, with a role or in
another's name, so that nobody gives rights they don't have. The services check them
before every write; the administration also asks, so that it offers nothing that would
be refused."""

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
    """How far the rights of an account go; ``everything`` is an administrator's."""

    everything: bool
    staff: bool = False
    rights: frozenset[str] = frozenset()

    def covers(self, other: Reach) -> bool:
        """Tell whether another reach goes no further than this one."""
        if self.everything:
            return True
        staff = self.staff or not other.staff
        return not other.everything and staff and other.rights <= self.rights


_PRODUCT = Reach(everything=True)


def reach_of(user: User, roles: Iterable[Group] | None = None) -> Reach:
    """Return how far an account reaches, with other roles than its own if given.

    Of a locked or deactivated account it is what it would reach: two queries.
    """
    groups = list(user.groups.all() if roles is None else roles)
    if user.is_superuser or any(group.name == ADMIN for group in groups):
        return Reach(everything=True)
    by_role = Q(group__in=groups)
    own = by_role if user._state.adding else by_role | Q(user=user)
    rights = _names(Permission.objects.filter(own))
    return Reach(everything=False, staff=user.is_staff, rights=rights)


def own_reach() -> Reach:
    """Return how far whoever is acting reaches: the product itself, everywhere."""
    user: Any = current().user
    if user is None:
        return _PRODUCT
    if not user.is_active:
        return Reach(everything=False)
    return reach_of(user)


def covers_account(user: User) -> bool:
    """Tell whether whoever is acting may change an account and act in its name."""
    return own_reach().covers(reach_of(user))


def covers_role(role: Group) -> bool:
    """Tell whether whoever is acting has every right that a role gives."""
    given = Reach(role.name == ADMIN, rights=_names(role.permissions.all()))
    return own_reach().covers(given)


def own_rights() -> QuerySet[Permission]:
    """Return the rights whoever is acting may hand on."""
    every, own = Permission.objects.all(), own_reach()
    if own.everything:
        return every
    user: Any = current().user
    return every.filter(Q(group__user=user) | Q(user=user)).distinct()


def refuse_beyond_own(user: User, roles: Iterable[Group] | None = None) -> None:
    """Raise PermissionDenied if an account reaches further than whoever is acting.

    Changing it, giving it a password or working in its name would give away rights
    that are not there to be given.
    """
    if own_reach().covers(reach_of(user, roles)):
        return
    words = {"actor": current().user, "user": user}
    if roles is None:
        sentence = _(
            "“%(actor)s” may not do this with “%(user)s”, who may do more; ask an "
            "administrator."
        )
    else:
        sentence = _(
            "“%(actor)s” may not give “%(user)s” these roles or flags, which allow more "
            "than “%(actor)s” may do; ask an administrator."
        )
    raise PermissionDenied(sentence % words)


def refuse_anothers_key(user: User) -> None:
    """Raise PermissionDenied unless a key is for oneself, or an administrator asks."""
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
    """Raise PermissionDenied for changed rights of a role that the actor lacks.

    The role of administrators is changed by administrators alone.
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
