"""Documents as plain Django has them: each row validated and saved by itself."""

from __future__ import annotations

from django.db import models
from simple_history.models import HistoricalRecords

from tests.benchmarks.peer.models.items import Item


def amount(**options):
    """Return a column for quantities and money."""
    return models.DecimalField(max_digits=18, decimal_places=4, **options)


class Sequence(models.Model):
    kind = models.CharField(max_length=20, unique=True)
    last = models.PositiveIntegerField(default=0)


class Document(models.Model):
    kind = models.CharField(max_length=20)
    code = models.CharField(max_length=50, unique=True)
    date = models.DateTimeField()
    partner = models.CharField(max_length=50)
    posted = models.BooleanField(default=False)
    total = amount(default=0)
    history = HistoricalRecords(user_db_constraint=False)


class Line(models.Model):
    document = models.ForeignKey(Document, on_delete=models.CASCADE)
    number = models.PositiveIntegerField()
    item = models.ForeignKey(Item, on_delete=models.PROTECT)
    quantity = amount()
    price = amount()
    amount = amount()


class Balance(models.Model):
    item = models.OneToOneField(Item, on_delete=models.PROTECT)
    quantity = amount(default=0)
    value = amount(default=0)


class Movement(models.Model):
    document = models.ForeignKey(Document, on_delete=models.CASCADE)
    date = models.DateTimeField()
    item = models.ForeignKey(Item, on_delete=models.PROTECT)
    quantity = amount()
    value = amount()


class Entry(models.Model):
    document = models.ForeignKey(Document, on_delete=models.CASCADE)
    date = models.DateTimeField()
    role = models.CharField(max_length=20)
    debit = amount(default=0)
    credit = amount(default=0)
