"""The model of uploaded files: a row is written when its bytes are stored on disk."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class StoredFile(models.Model):
    """An uploaded file, identified by its GUID (OPEN-99)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=255)
    content_type = models.CharField(_("type"), max_length=100)
    size = models.BigIntegerField(_("size in bytes"))
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    uploaded_at = models.DateTimeField(_("uploaded"), default=timezone.now)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("uploaded by"),
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
    )

    class Meta:
        verbose_name = _("file")
        verbose_name_plural = _("files")
        ordering = ["-uploaded_at"]

    def __str__(self) -> str:
        return self.name
