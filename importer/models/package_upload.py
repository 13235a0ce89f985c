"""Package files uploaded on the page.

The bytes are stored in the upload folder under the row's identifier, so that every
process finds them and nobody can name another user's file.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class PackageUpload(models.Model):
    """An uploaded package, kept so that an import uses the bytes of its dry run
    (OPEN-52)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    name = models.CharField(max_length=100)
    size = models.PositiveBigIntegerField()
    # SHA-256 of the bytes in hexadecimal digits.
    digest = models.CharField(max_length=64)
    uploaded_at = models.DateTimeField()

    class Meta:
        ordering = ["-uploaded_at"]
        default_permissions = ()

    def __str__(self) -> str:
        return self.name
