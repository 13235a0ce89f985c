"""Items, in folders."""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalogs.models.catalog import (
    HierarchicalCatalog,
    deleted_by_code,
    folder_key,
)
from catalogs.models.units_of_measure import UnitOfMeasure
from platform_site.records.fields import ExactDecimalField, optional_reference


class Item(HierarchicalCatalog):
    """Something bought, sold or used, or a folder of items."""

    class Category(models.TextChoices):
        """The category of an item; only goods and material have stock."""

        GOODS = "goods", _("goods")
        SERVICE = "service", _("service")
        MATERIAL = "material", _("material")

    catalog_name = "Items"
    # An index below serves its queries.
    parent = folder_key(db_index=False)
    is_folder = models.BooleanField(
        _("folder"),
        help_text=_(
            "A folder only contains other items: leave category, unit of measure, "
            "barcode and price empty. An item that isn't a folder needs a category and "
            "a unit of measure. You can't turn an item into a folder later, or a folder "
            "into an item."
        ),
    )
    category = models.CharField(
        _("category"),
        max_length=10,
        choices=Category.choices,
        null=True,
        blank=True,
        help_text=_("Only goods and material have stock. Folders have no category."),
    )
    unit_of_measure = optional_reference(
        UnitOfMeasure,
        _("unit of measure"),
        related_name="items",
        help_text=_("The unit in which the item is counted. Folders have none."),
    )
    barcode = models.CharField(
        _("barcode"),
        max_length=50,
        blank=True,
        help_text=_("The number of the barcode on the item."),
    )
    price = ExactDecimalField(
        _("price"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=_("The usual price of one unit, 0 or more."),
    )
    description = models.TextField(
        _("description"), blank=True, help_text=_("A longer text about the item.")
    )

    class Meta(HierarchicalCatalog.Meta):
        verbose_name = _("item")
        verbose_name_plural = _("items")
        indexes = [
            deleted_by_code("item_deleted"),
            # Pages list what is in a folder by code, and count what is in its folders.
            models.Index(
                fields=["parent", "is_deleted", "code"], name="item_in_folder"
            ),
        ]
