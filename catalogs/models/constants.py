"""Constants: named values, each valid from a date on."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from platform_site.records.models import Record


class Constant(Record):
    """The value of a name from a date on; one row per name and date (OPEN-77)."""

    catalog_name = "Constants"
    name = models.CharField(
        _("name"),
        max_length=250,
        help_text=_(
            "The name of the constant. Each of its values is a row with its own date."
        ),
    )
    effective_date = models.DateField(
        _("effective from"), help_text=_("The first day on which this value is valid.")
    )
    value = models.TextField(
        _("value"),
        blank=True,
        help_text=_("The value from this day on, until a later one."),
    )

    class Meta(Record.Meta):
        verbose_name = _("constant")
        verbose_name_plural = _("constants")
        ordering = ["name", "-effective_date"]
        constraints = [
            *Record.Meta.constraints,
            models.UniqueConstraint(
                fields=["name", "effective_date"],
                condition=Q(is_deleted=False),
                name="%(app_label)s_%(class)s_once_a_day",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.effective_date}"
