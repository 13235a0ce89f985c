"""The properties of an account in change events: the services describe it before and
after a write and record the difference. Passwords are never included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # it imports this module itself
    from platform_site.accounts.models import User

# The property as in the API, and the column.
COLUMNS: Final = {
    "userName": "username",
    "email": "email",
    "firstName": "first_name",
    "lastName": "last_name",
    "timeZone": "time_zone",
    "language": "language",
    "isActive": "is_active",
    "isStaff": "is_staff",
    "isSuperuser": "is_superuser",
    "isService": "is_service",
    "lockedUntil": "locked_until",
}


def describe(user: User, roles: Iterable[str]) -> dict[str, Any]:
    """Return all recorded properties of an account and its roles."""
    properties = {name: getattr(user, column) for name, column in COLUMNS.items()}
    return {**properties, "roles": sorted(roles)}


def difference(
    before: dict[str, Any] | None, after: dict[str, Any] | None
) -> dict[str, list[Any]]:
    """Return ``{property: [before, after]}`` of the changed properties.

    `None` stands for an account before its creation or after its deletion; empty
    properties are then left out.
    """
    if before is None or after is None:
        there = before or after or {}
        return {
            name: [value, None] if after is None else [None, value]
            for name, value in there.items()
            if value not in (None, "", [])
        }
    return {
        name: [before[name], value]
        for name, value in after.items()
        if before[name] != value
    }
