"""The marker of a demo installation, and the account that applies its package."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.models import User


class DemoInstallation(models.Model):
    """The record that demo data was seeded: the package and the time.

    There is at most one row; without it this isn't a demo installation (IMP-150).
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    package = models.CharField(_("package"), max_length=100)
    seeded_at = models.DateTimeField(_("seeded at"))
    # The keys of the accounts that the seeding created, in order.
    users = models.JSONField(_("users"), default=list)
    # The marker stays after a removal, or the next start would seed again.
    removed_at = models.DateTimeField(_("removed at"), null=True)

    class Meta:
        verbose_name = _("demo installation")
        verbose_name_plural = _("demo data")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="demo_installation_is_one")
        ]

    def __str__(self) -> str:
        return self.package


class Seeder(User):
    """The account `admin` acting for the platform.

    Seeding and updates act as `admin` even if that account is disabled (OPEN-67).
    """

    class Meta:
        proxy = True
        default_permissions = ()

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Return True, unless the account was deleted."""
        return self.pk is not None
