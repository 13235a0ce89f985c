"""`manage.py migrate`: Django's own command, which on a fresh installation would find no
folder to create the database in."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate

from platform_site.host.startup import prepare_database_folder
from platform_site.settings.configuration import active


class Command(migrate.Command):
    """Prepare the database folder, then migrate as Django does."""

    def execute(self, *arguments: Any, **options: Any) -> str | None:
        """Migrate the database, creating its folder where it is missing.

        Here and not in `handle`, because the checks in between open the database.
        """
        prepare_database_folder(active())
        return super().execute(*arguments, **options)
