"""The model that the rights of processors refer to, and the executions by packages."""

from __future__ import annotations

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext_lazy as _

from importer.targets import ImportMarked


class Processor(models.Model):
    """A placeholder for rights: processors are classes and have no table."""

    class Meta:
        managed = False
        default_permissions = ()
        verbose_name = _("data processor")
        verbose_name_plural = _("data processors")

    def __str__(self) -> str:
        return str(self.pk)


class ProcessorExecution(ImportMarked):
    """One execution by a package; its mark shows that it is done (OPEN-07)."""

    processor = models.CharField(_("data processor"), max_length=100)
    input = models.JSONField(_("input"), encoder=DjangoJSONEncoder)
    result = models.JSONField(_("result"), encoder=DjangoJSONEncoder)
    executed_at = models.DateTimeField(_("executed"), default=timezone.now)
    seconds = models.FloatField(_("seconds"))
    user_name = models.CharField(_("user"), max_length=150)

    class Meta:
        # Written only by packages; users can view it.
        default_permissions = ("view",)
        verbose_name = _("execution by a package")
        verbose_name_plural = _("executions by packages")
        ordering = ["-executed_at"]
        constraints = [
            # Each processor has its own execution of an object.
            models.UniqueConstraint(
                fields=["processor", "import_source", "import_key"],
                name="processing_execution_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.processor}, {localize(timezone.localtime(self.executed_at))}"
