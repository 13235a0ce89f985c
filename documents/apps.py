"""The documents app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DocumentsConfig(AppConfig):
    """The app of documents, numbering, posting, registers and reports."""

    name = "documents"
    verbose_name = _("Documents")

    def ready(self) -> None:
        """Add the rules with which documents guard catalogs."""
        # Models can't be imported earlier.
        from documents.behaviors.catalogs import (  # noqa: PLC0415 - as said above
            watch_catalogs,
        )

        watch_catalogs()
