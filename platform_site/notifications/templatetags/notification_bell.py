"""The template tag of the bell above the pages."""

from __future__ import annotations

from typing import Any

from django import template

from platform_site.notifications.services import unread_count

register = template.Library()


@register.inclusion_tag("notifications/bell.html")
def notification_bell(user: Any) -> dict[str, Any]:
    """Show the bell with the number of unread notifications."""
    return {"unread": unread_count(user)}
