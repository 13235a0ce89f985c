"""The progress of the wizard of a new installation."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Welcome(models.Model):
    """The decisions made in the wizard, and whether it is finished.

    There is at most one row, from the first decision on.
    """

    class Company(models.TextChoices):
        """The choice of initial data."""

        EMPTY = "empty", _("empty company")
        DEMO = "demo", _("demo company")

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    # The SHA-256 of the accepted text, in hexadecimal.
    agreement = models.CharField(max_length=64, blank=True)
    accepted_by = models.CharField(max_length=150, blank=True)
    accepted_at = models.DateTimeField(null=True)
    password_at = models.DateTimeField(null=True)
    company = models.CharField(max_length=5, choices=Company.choices, blank=True)
    # The run that loads the demo company, and why it failed to start or end.
    run_id = models.UUIDField(null=True)
    trouble = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("welcome")
        verbose_name_plural = _("welcome")
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=Q(id=1), name="welcome_is_one")]

    def __str__(self) -> str:
        return f"{self.company or '…'} {self.finished_at or ''}"
