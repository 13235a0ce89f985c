"""What the database knows of the installation as a whole. Django sends its migration
signals only to apps with a models module, so the guard before migrations hears them."""

from __future__ import annotations

from django.db import models


class AddedApp(models.Model):
    """An app that `Platform:Apps` names or named, known by its label.

    Its tables stay when it is no longer named; by this row a start knows that its
    migrations come from no other version of the product.
    """

    label = models.CharField(max_length=100, primary_key=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.label
