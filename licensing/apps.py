"""The licensing app, at the bottom: it knows nothing of the others, and has no tables."""

from __future__ import annotations

from django.apps import AppConfig


class LicensingConfig(AppConfig):
    """The licence of the installation."""

    name = "licensing"
    verbose_name = "Licensing"
