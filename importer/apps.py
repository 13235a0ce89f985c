"""The app of the engine: its translations, its look-up, and the discovery of every
app's ``importing.py``."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig
from django.utils.formats import number_format
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext, gettext_lazy, ngettext

from importer import lookups
from importer.package.translation import translate_by


class ImporterConfig(AppConfig):
    """The reusable import engine."""

    name = "importer"
    verbose_name = gettext_lazy("Import")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the ``importing`` modules, in which apps register what can be
        imported."""
        translate_by(
            gettext,
            ngettext,
            lambda number: number_format(number, force_grouping=True),
        )
        lookups.register()
        autodiscover_modules("importing")
        import_module("importer.checks")  # needs the models
