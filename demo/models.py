"""The marker of a demo installation, and the account its package is applied by: written
by the seeding and the removal, read at every start."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.models import User


class DemoInstallation(models.Model):
    """The record that this installation was given demo data: which package, and when.

    There is one row at most: without it this is no demo installation (IMP-150).
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    package = models.CharField(_("package"), max_length=100)
    seeded_at = models.DateTimeField(_("seeded at"))
    # Keys of the accounts that the seeding created, in the order it did.
    users = models.JSONField(_("users"), default=list)
    # The marker outlives the data, or the next start would bring it back.
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
    """The account `admin` at work for the product itself.

    Seeding and updates act as `admin` also where that account is disabled (OPEN-67).
    """

    class Meta:
        proxy = True
        default_permissions = ()

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Allow everything, unless the account is gone."""
        return self.pk is not None
