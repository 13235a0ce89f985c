"""The documents app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DocumentsConfig(AppConfig):
    """Orders, receipts, issues, bank receipts, and what they post."""

    name = "documents"
    verbose_name = _("Documents")

    def ready(self) -> None:
        """Let documents judge the catalogs they rely on."""
        # The models behind it can be imported only now.
        from documents.behaviors.catalogs import (  # noqa: PLC0415 - as said above
            watch_catalogs,
        )

        watch_catalogs()
