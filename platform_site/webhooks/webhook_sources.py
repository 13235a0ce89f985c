"""The sources of this app: the changes come first, the imports that made them follow."""

from __future__ import annotations

from platform_site.webhooks import change_events, finished_runs

change_events.register()
finished_runs.register()
