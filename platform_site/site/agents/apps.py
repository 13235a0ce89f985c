"""The app of agents: the command, and the notice about their proposals."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AgentsConfig(AppConfig):
    """The app of agents."""

    name = "platform_site.site.agents"
    verbose_name = _("Agents")
