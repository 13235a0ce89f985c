"""The licensing app at the lowest layer, without tables."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy, ngettext

from licensing.translation import translate_by


class LicensingConfig(AppConfig):
    """The licence of the installation."""

    name = "licensing"
    verbose_name = gettext_lazy("Licensing")

    def ready(self) -> None:
        """Set the translation functions of the limits."""
        translate_by(
            ngettext, lambda number: number_format(number, force_grouping=True)
        )
