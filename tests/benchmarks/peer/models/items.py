"""The same columns as our items, with a history row for every write and without."""

from __future__ import annotations

from django.db import models
from simple_history.models import HistoricalRecords


class Unit(models.Model):
    code = models.CharField(max_length=20, unique=True)
    name = models.CharField(max_length=250)

    def __str__(self):
        return self.code


class ItemColumns(models.Model):
    is_folder = models.BooleanField()
    code = models.CharField(max_length=50, unique=True)
    name = models.CharField(max_length=250)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT)
    category = models.CharField(max_length=10, null=True, blank=True)
    unit_of_measure = models.ForeignKey(
        Unit, null=True, blank=True, on_delete=models.PROTECT
    )
    barcode = models.CharField(max_length=50, blank=True)
    price = models.DecimalField(max_digits=18, decimal_places=4, null=True, blank=True)
    description = models.TextField(blank=True)

    class Meta:
        abstract = True

    def __str__(self):
        return self.code


class Item(ItemColumns):
    history = HistoricalRecords(user_db_constraint=False)


class PlainItem(ItemColumns):
    """An item whose changes leave no trace."""


class BulkItem(ItemColumns):
    """The same in a table of its own, for rows that are written in bulk."""
