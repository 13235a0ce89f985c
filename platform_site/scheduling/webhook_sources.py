"""The source of this app for webhooks."""

from __future__ import annotations

from platform_site.scheduling import failed_jobs

failed_jobs.register()
