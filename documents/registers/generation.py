"""A counter of register changes in the database, by which any process can tell whether
a cached result is still valid."""

from __future__ import annotations

from typing import Final

from django.db import connection, models
from django.db.models import F, Sum
from django.utils.translation import gettext_lazy as _

from platform_site.database.prepared_queries import PreparedQuery, updating

# Enough slots that connections rarely wait for each other.
_SLOTS: Final = 64


class RegisterGeneration(models.Model):
    """The number of register changes made by the connections of one slot.

    With a single counter every posting would wait for the previous one to commit.
    """

    slot = models.PositiveSmallIntegerField(_("slot"), primary_key=True)
    number = models.PositiveBigIntegerField(_("number"), default=0)

    class Meta:
        verbose_name = _("register version")
        verbose_name_plural = _("register versions")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.slot}: {self.number}"


_COUNTED = PreparedQuery(
    lambda slot: updating(
        RegisterGeneration.objects.filter(slot=slot), number=F("number") + 1
    )
)


def count_change() -> None:
    """Count one change within the current transaction, in one statement."""
    slot = _own_slot()
    while not _COUNTED.update(slot):
        first = RegisterGeneration(slot=slot)
        RegisterGeneration.objects.bulk_create([first], ignore_conflicts=True)


def generation() -> int:
    """Return a number that differs after every committed change."""
    found = RegisterGeneration.objects.aggregate(all=Sum("number"))
    return int(found["all"] or 0)


def _own_slot() -> int:
    """Return the slot of this connection; SQLite has only one writer at a time."""
    if connection.vendor != "postgresql":
        return 0
    connection.ensure_connection()
    process: int = connection.connection.info.backend_pid
    return process % _SLOTS
