"""`manage.py show_settings`: prints the effective settings and their sources. Secrets
are masked."""

from __future__ import annotations

from typing import Any

from importer.commands import VisibleCommand
from platform_site.settings.configuration import active
from platform_site.settings.effective_rows import effective_rows, setting_warnings


class Command(VisibleCommand):
    """The command that prints the effective settings, then warnings."""

    help = "Prints the effective settings and where each came from, secrets masked."
    requires_system_checks = []

    def handle(self, *_arguments: Any, **_options: Any) -> None:
        """Print one line per setting; warnings go to standard error."""
        configuration = active()
        rows = effective_rows(configuration)
        width = max(len(key) for key, _, _ in rows)
        for key, value, source in rows:
            self.stdout.write(f"{key:{width}}  {value or '-'}  ({source})")
        for warning in setting_warnings(configuration):
            self.stderr.write(f"Warning: {warning}")
