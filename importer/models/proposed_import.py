"""Packages that somebody without the right to import has proposed.

The package is stored in the database, so that every process and every backup has it.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from importer.models.import_run import ImportRun


class ProposedImport(models.Model):
    """A package that waits for a person who may import it, and what became of it."""

    class State(models.TextChoices):
        """The state of a proposal."""

        OPEN = "Open", _("open")
        IMPORTED = "Imported", _("imported")
        DECLINED = "Declined", _("declined")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    package = models.CharField(max_length=100)
    reason = models.CharField(max_length=1000)
    # Compressed; empty once somebody has decided.
    content = models.BinaryField()
    size = models.PositiveIntegerField()
    # SHA-256 of the bytes in hexadecimal digits, as that of a run.
    digest = models.CharField(max_length=64)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    proposed_by_name = models.CharField(max_length=150)
    proposed_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    decided_by_name = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True)
    # Why it was declined.
    answer = models.CharField(max_length=500, blank=True)
    # The import that wrote it.
    run = models.ForeignKey(
        ImportRun, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["proposed_at", "pk"]
        default_permissions = ()
        indexes = [
            models.Index(fields=["state", "proposed_at"], name="import_proposal_state")
        ]

    def __str__(self) -> str:
        return f"{self.package} {self.pk}"
