"""The app of scheduled jobs; the thread that runs them starts in `serve`."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SchedulingConfig(AppConfig):
    """The app of scheduled jobs."""

    name = "platform_site.scheduling"
    verbose_name = _("Scheduled jobs")
