"""The documents app."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DocumentsConfig(AppConfig):
    """Orders, receipts, issues, bank receipts, and what they post."""

    name = "documents"
    verbose_name = _("Documents")
