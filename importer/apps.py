"""Register the look-up and find every app's ``importing.py``."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _

from importer import lookups


class ImporterConfig(AppConfig):
    """The reusable import engine."""

    name = "importer"
    verbose_name = _("Import")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let the other apps register what can be imported."""
        lookups.register()
        autodiscover_modules("importing")
