"""The importer hook of the maintenance mode: no background run starts meanwhile."""

from __future__ import annotations

from django.utils.translation import gettext as _

from importer.services import pause_runs_while
from platform_site.maintenance import current_maintenance


def pause_reason() -> str:
    """Return why no import may start, empty if it may."""
    if current_maintenance() is None:
        return ""
    return _(
        "The site is being maintained; start the import when the maintenance is over."
    )


pause_runs_while(pause_reason)
