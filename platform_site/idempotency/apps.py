"""The app of the kept answers."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class IdempotencyConfig(AppConfig):
    """The answers that are kept."""

    name = "platform_site.idempotency"
    label = "idempotency"
    verbose_name = _("Kept answers")
