"""The filters of the person menu."""

from __future__ import annotations

from typing import Any

from django import template

from platform_site.accounts.time_zones import zone_of

register = template.Library()


@register.filter
def initials(user: Any) -> str:
    """Return the first letters of first and last name, or of the user name."""
    names = [user.first_name, user.last_name]
    first = "".join(name[:1] for name in names if name)
    return (first or user.get_username()[:2]).upper()


@register.filter
def zone_name(user: Any) -> str:
    """Return the name of the time zone in which the user sees times."""
    return str(zone_of(user))
