"""What the search above all pages finds here: users and roles, for those who may view
them."""

from __future__ import annotations

from collections.abc import Iterator

from platform_site.accounts.models import Role, User
from platform_site.search_sources import Hits, Search, hits_in, register


def users(search: Search) -> Iterator[Hits]:
    """Yield the users whose names or address match."""
    columns = ("username", "first_name", "last_name", "email")
    return hits_in(search, User.objects.all(), columns, icon="user", note=_person)


def roles(search: Search) -> Iterator[Hits]:
    """Yield the roles whose name matches."""
    return hits_in(search, Role.objects.all(), ("name",), icon="users")


def _person(user: User) -> str:
    return user.get_full_name() or user.email


register(users, seen_by=lambda user: user.has_perm("accounts.view_user"))
register(roles, seen_by=lambda user: user.has_perm("accounts.view_role"))
