"""The model of responses to requests with an `Idempotency-Key`."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class KeptAnswer(models.Model):
    """A stored response; without a status the request is still in progress.

    The caller is stored by key and not as a reference, so that users can be deleted
    independently.
    """

    caller = models.CharField(max_length=64)
    key = models.CharField(max_length=200)
    # SHA-256 of operation and body, in hexadecimal.
    digest = models.CharField(max_length=64)
    asked_at = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.TextField(default="")

    class Meta:
        verbose_name = _("stored response")
        verbose_name_plural = _("stored responses")
        constraints = [
            models.UniqueConstraint(
                fields=["caller", "key"], name="kept_answer_once_per_key"
            )
        ]

    def __str__(self) -> str:
        return f"{self.caller} {self.key}"
