"""A counter in the database of changes to the registers, by which any process can tell
whether a total it has kept is still valid."""

from __future__ import annotations

from typing import Final

from django.db import connection, models
from django.db.models import F, Sum
from django.utils.translation import gettext_lazy as _

# Enough that connections hardly ever wait for each other.
_SLOTS: Final = 64


class RegisterGeneration(models.Model):
    """How often the connections of one slot have changed the registers.

    One number for all would make every posting wait for the one before it to commit.
    """

    slot = models.PositiveSmallIntegerField(_("slot"), primary_key=True)
    number = models.PositiveBigIntegerField(_("number"), default=0)

    class Meta:
        verbose_name = _("generation of the registers")
        verbose_name_plural = _("generations of the registers")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.slot}: {self.number}"


def count_change() -> None:
    """Count one more within the present transaction: one statement."""
    own = RegisterGeneration.objects.filter(slot=_own_slot())
    while not own.update(number=F("number") + 1):
        first = RegisterGeneration(slot=_own_slot())
        RegisterGeneration.objects.bulk_create([first], ignore_conflicts=True)


def generation() -> int:
    """Return a number that is another after every change that is committed."""
    found = RegisterGeneration.objects.aggregate(all=Sum("number"))
    return int(found["all"] or 0)


def _own_slot() -> int:
    """Return the slot of this connection; SQLite has one writer at a time anyway."""
    if connection.vendor != "postgresql":
        return 0
    connection.ensure_connection()
    process: int = connection.connection.info.backend_pid
    return process % _SLOTS
