"""The saved ways to read a table, each under a name."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _


class TableSource(models.Model):
    """A saved way to read a table, such as the price list of one supplier.

    The name never changes: rights, jobs and the marks of rows refer to it.
    """

    # What it is called in the change history.
    catalog_name: ClassVar[str] = "TableSources"

    name = models.CharField(_("name"), max_length=60, unique=True)
    # What `TableDescription.wire` returns.
    description = models.JSONField(_("description"))
    enabled = models.BooleanField(_("enabled"), default=True)
    # Where tables come from: `{folder, pattern, user}`, `{url}`, `{processor}`, or null
    # for uploads.
    origin = models.JSONField(_("origin"), null=True, blank=True)
    # What was last imported: its SHA-256, and from an URL its ETag.
    fetched = models.JSONField(default=dict, blank=True, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    modified_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        # Whoever may import may change them; each has a right of its own to run it.
        default_permissions = ()
        verbose_name = _("table source")
        verbose_name_plural = _("table sources")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
