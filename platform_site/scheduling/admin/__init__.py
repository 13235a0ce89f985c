"""The admin pages of jobs and their executions."""

from __future__ import annotations

from platform_site.scheduling.admin.executions import JobExecutionAdmin
from platform_site.scheduling.admin.jobs import JobAdmin

__all__ = ["JobAdmin", "JobExecutionAdmin"]
