"""The models of the installation. Django sends its migration signals only to apps with
models, so the guard before migrations needs this module."""

from __future__ import annotations

from django.db import models


class AddedApp(models.Model):
    """An app that is or was named in `Platform:Apps`, identified by its label.

    Its tables stay when it is no longer named. This row tells a start that its
    migrations don't come from another version of the platform.
    """

    label = models.CharField(max_length=100, primary_key=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.label
