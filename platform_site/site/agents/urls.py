"""The path of agents, which clients of the protocol expect at the root."""

from __future__ import annotations

from django.urls import path

from platform_site.site.agents.views import AgentView

urlpatterns = [path("mcp", AgentView.as_view(), name="agents")]
