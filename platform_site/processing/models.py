"""What Django must know of data processors, for it hangs rights on models, and the
executions that packages started."""

from __future__ import annotations

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext_lazy as _

from importer.targets import ImportMarked


class Processor(models.Model):
    """A data processor, for Django's sake: processors are classes and have no table."""

    class Meta:
        managed = False
        default_permissions = ()
        verbose_name = _("data processor")
        verbose_name_plural = _("data processors")

    def __str__(self) -> str:
        return str(self.pk)


class ProcessorExecution(ImportMarked):
    """One execution that a package asked for; its mark says that it is done (OPEN-07)."""

    processor = models.CharField(_("data processor"), max_length=100)
    input = models.JSONField(_("input"), encoder=DjangoJSONEncoder)
    result = models.JSONField(_("result"), encoder=DjangoJSONEncoder)
    executed_at = models.DateTimeField(_("executed"), default=timezone.now)
    seconds = models.FloatField(_("seconds"))
    user_name = models.CharField(_("user"), max_length=150)

    class Meta:
        # Written by packages alone, and looked at by people.
        default_permissions = ("view",)
        verbose_name = _("execution by a package")
        verbose_name_plural = _("executions by packages")
        ordering = ["-executed_at"]
        constraints = [
            # Of one object, each processor has an execution of its own.
            models.UniqueConstraint(
                fields=["processor", "import_source", "import_key"],
                name="processing_execution_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.processor}, {localize(timezone.localtime(self.executed_at))}"
