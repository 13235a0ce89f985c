"""The runs that wait for their turn, in the order in which they came.

So every process knows the order, and any of them can carry out the next run.
"""

from __future__ import annotations

from django.db import models

from importer.models.import_run import ImportRun


class QueuedRun(models.Model):
    """A place in the queue, with the part of the order that the run doesn't have.

    It exists as long as the run has the status Queued; lower keys come first.
    """

    run = models.OneToOneField(ImportRun, on_delete=models.CASCADE, related_name="+")
    language = models.CharField(max_length=20, blank=True)
    default_policies = models.BooleanField(default=False)
    window = models.PositiveIntegerField()

    class Meta:
        ordering = ["pk"]
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.pk} {self.run_id}"
