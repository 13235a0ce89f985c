"""The app of scheduled jobs; the thread that runs them starts in `serve`."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SchedulingConfig(AppConfig):
    """The app of scheduled jobs."""

    name = "platform_site.scheduling"
    verbose_name = _("Scheduled jobs")

    def ready(self) -> None:
        """Tell whoever changes accounts which jobs will fail."""
        # Models can't be imported earlier.
        from platform_site.accounts.consequences import (  # noqa: PLC0415 - as said above
            register,
        )
        from platform_site.scheduling.job_accounts import (  # noqa: PLC0415 - as said above
            jobs_that_fail,
        )

        register(jobs_that_fail)
