"""The app of nodes, in an installation that has several."""

from __future__ import annotations

from django.apps import AppConfig


class NodesConfig(AppConfig):
    """The app of nodes."""

    name = "platform_site.nodes"
    verbose_name = "Nodes"
