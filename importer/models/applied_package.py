"""The version of each package that was last applied without errors (OPEN-48)."""

from __future__ import annotations

from django.db import models


class AppliedPackage(models.Model):
    """A package identifier with the version of its last real run without errors."""

    package = models.CharField(max_length=100, primary_key=True)
    version = models.PositiveIntegerField()
    applied_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.package} {self.version}"
