"""What Django must know of data processors: it hangs rights on models."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Processor(models.Model):
    """A data processor, for Django's sake: processors are classes and have no table."""

    class Meta:
        managed = False
        default_permissions = ()
        verbose_name = _("data processor")
        verbose_name_plural = _("data processors")

    def __str__(self) -> str:
        return str(self.pk)
