"""The bytes of packages and tables that runs may need again, in pieces of the database.

So every process finds them, on every machine.
"""

from __future__ import annotations

from django.db import models

from importer.models.import_run import ImportRun


class PackagePiece(models.Model):
    """Up to a megabyte of a run's package, or of the table that it was made from,
    compressed."""

    run = models.ForeignKey(ImportRun, on_delete=models.CASCADE, related_name="pieces")
    of_table = models.BooleanField(default=False)
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["number"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["run", "of_table", "number"], name="import_piece_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.number}"
