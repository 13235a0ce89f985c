"""The base of all catalogs: a name, and a code that is unique among live rows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.behaviors.folders import (
    FolderStaysFolder,
    NoCycle,
    ParentIsFolder,
    move_alone,
)
from platform_site.records.models import Record, unique_while_live


class Catalog(Record):
    """A row of reference data with a code and a name."""

    code = models.CharField(
        _("code"),
        max_length=50,
        help_text=_(
            "Short and unique. Lists, documents and imports find the row by it."
        ),
    )
    name = models.CharField(
        _("name"), max_length=250, help_text=_("The name in lists and documents.")
    )

    class Meta(Record.Meta):
        abstract = True
        ordering = ["code"]
        constraints = [
            *Record.Meta.constraints,
            unique_while_live("code", "%(app_label)s_%(class)s_code_once"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


def folder_key(**options: Any) -> models.ForeignKey[Any, Any]:
    """Return the foreign key of a row to its folder."""
    return models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="children",
        limit_choices_to={"is_folder": True, "is_deleted": False},
        verbose_name=_("in folder"),
        help_text=_(
            "The folder that contains this row. If empty, the row is in no folder."
        ),
        **options,
    )


def deleted_by_code(name: str) -> models.Index:
    """Return the index of the deleted rows by code, for a catalog with many rows.

    The constraint of codes has only live rows, and without deleted rows this costs
    nothing.
    """
    deleted = models.Q(is_deleted=True)
    return models.Index(fields=["code"], condition=deleted, name=name)


class HierarchicalCatalog(Catalog):
    """A catalog whose rows can be in folders; a folder is a row of the same table."""

    rules = (FolderStaysFolder(), ParentIsFolder(), NoCycle())

    is_folder = models.BooleanField(
        _("folder"),
        help_text=_(
            "A folder contains other rows. You can't turn a row into a folder later, or "
            "a folder into a row."
        ),
    )
    parent = folder_key()

    class Meta(Catalog.Meta):
        abstract = True

    def keep_references(self, columns: Collection[str] | None) -> None:
        """Keep the references, and check for circles if a stored row changes its
        parent."""
        moved = columns is None or not {"parent", "parent_id"}.isdisjoint(columns)
        if moved and not self._state.adding and not self.is_deleted:
            move_alone(self)
        super().keep_references(columns)
