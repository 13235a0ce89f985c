"""The labels of what changes in users."""

from __future__ import annotations

from django.utils.text import capfirst

from platform_site.accounts.models import Role
from platform_site.changes.labels import ColumnLabels


class UserLabels(ColumnLabels):
    """The labels for change events of a user, which have the names of the roles."""

    def label(self, name: str) -> str:
        """Return the label of a property."""
        if name == "roles":
            return str(capfirst(Role._meta.verbose_name_plural))
        return super().label(name)
