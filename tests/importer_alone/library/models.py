"""Plain models; ``ImportMarked`` is all the importer asks of them. The keys of authors are
no numbers; each author has one portrait at most."""

from __future__ import annotations

import uuid

from django.db import models

from importer.models import ImportMarked


class Author(ImportMarked):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    code = models.CharField(max_length=20, unique=True)
    name = models.CharField(max_length=100)
    modified = models.DateTimeField(auto_now=True)
    is_deleted = models.BooleanField(default=False)

    class Meta(ImportMarked.Meta):
        pass

    def __str__(self) -> str:
        return self.name


class Book(ImportMarked):
    code = models.CharField(max_length=20, unique=True)
    title = models.CharField(max_length=100)
    author = models.ForeignKey(Author, on_delete=models.PROTECT)
    is_deleted = models.BooleanField(default=False)
    pages = models.IntegerField(null=True, blank=True)
    price = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    published = models.DateField(null=True, blank=True)
    arrived = models.DateTimeField(null=True, blank=True)
    lent = models.BooleanField(default=False)
    genre = models.CharField(
        max_length=10, choices=[("novel", "Novel"), ("poetry", "Poetry")], blank=True
    )

    class Meta(ImportMarked.Meta):
        pass


class Portrait(ImportMarked):
    code = models.CharField(max_length=20, unique=True)
    author = models.OneToOneField(Author, on_delete=models.PROTECT)

    class Meta(ImportMarked.Meta):
        pass
