"""The app of data processors, which discovers processors and creates their rights after
a migrate."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class ProcessingConfig(AppConfig):
    """The app of the data processors."""

    name = "platform_site.processing"
    verbose_name = _("Data processors")

    def ready(self) -> None:
        """Discover the processors of all apps."""
        # Models can't be imported earlier.
        from platform_site.files.rights import (  # noqa: PLC0415 - as said above
            register_use,
        )
        from platform_site.processing.registry import (  # noqa: PLC0415 - as said above
            discover,
        )
        from platform_site.processing.rights import (  # noqa: PLC0415 - as said above
            record_rights,
        )
        from platform_site.processing.uploads import (  # noqa: PLC0415 - as said above
            executes_one_with_a_file,
        )

        discover()
        register_use(executes_one_with_a_file)
        post_migrate.connect(
            record_rights, sender=self, dispatch_uid="platform.processing.rights"
        )
