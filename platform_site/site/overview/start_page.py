"""What the start page shows a user: what needs attention, quick actions, plots or first
steps, and the user's last changes."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from documents.models import Document
from platform_site.accounts.time_zones import zone_of
from platform_site.notices import NoticeSeverity, notices_for
from platform_site.plots import plots_for
from platform_site.quick_actions import actions_for, first_steps_for
from platform_site.site.overview.own_changes import own_changes


def start_page(user: Any) -> dict[str, Any]:
    """Return the context of the start page."""
    notices = notices_for(user)
    zone = zone_of(user)
    with timezone.override(zone):
        plots = plots_for(user)
    steps = [] if plots else first_steps_for(user)
    return {
        "attention": [n for n in notices if n.severity > NoticeSeverity.QUIET],
        "quiet": [n for n in notices if n.severity == NoticeSeverity.QUIET],
        "actions": actions_for(user),
        "plots": plots,
        "zone": zone.key,
        "first_steps": steps if steps and _is_empty() else [],
        "own_changes": own_changes(user),
    }


def _is_empty() -> bool:
    """Return whether there is no document at all, not even a deleted one."""
    return not any(kind._base_manager.exists() for kind in Document.kinds())
