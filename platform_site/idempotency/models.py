"""The answers to requests with an `Idempotency-Key`."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class KeptAnswer(models.Model):
    """What a request was answered with; without a status it is still being answered.

    The caller is the key of a user, but no reference: a user may go, and whoever goes
    need not take this along.
    """

    caller = models.CharField(max_length=64)
    key = models.CharField(max_length=200)
    # SHA-256 of the operation and the body, in hexadecimal digits.
    digest = models.CharField(max_length=64)
    asked_at = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.TextField(default="")

    class Meta:
        verbose_name = _("kept answer")
        verbose_name_plural = _("kept answers")
        constraints = [
            models.UniqueConstraint(
                fields=["caller", "key"], name="kept_answer_once_per_key"
            )
        ]

    def __str__(self) -> str:
        return f"{self.caller} {self.key}"
