"""The app of stored responses."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class IdempotencyConfig(AppConfig):
    """The app of stored responses to requests with an `Idempotency-Key`."""

    name = "platform_site.idempotency"
    verbose_name = _("Stored responses")
