"""`manage.py show_settings`: prints the effective settings and their sources. Secrets
are masked."""

from __future__ import annotations

from typing import Any

from importer.commands import VisibleCommand
from platform_site.settings.configuration import active


class Command(VisibleCommand):
    """The command that prints the effective settings, then warnings."""

    help = "Prints the effective settings and where each came from, secrets masked."
    requires_system_checks = []

    def handle(self, *_arguments: Any, **_options: Any) -> None:
        """Print one line per setting; warnings go to standard error."""
        configuration = active()
        settings = configuration.settings
        derived = "derived"
        rows = [
            ("Environment", settings.environment, derived),
            ("Data folder", str(configuration.data_folder), derived),
            ("Attachments", str(configuration.blobs_folder), derived),
        ]
        rows += [(one.key, one.shown, one.source) for one in settings.all_effective()]
        width = max(len(key) for key, _, _ in rows)
        for key, value, source in rows:
            self.stdout.write(f"{key:{width}}  {value or '-'}  ({source})")
        troubles = [one.trouble for one in settings.all_effective() if one.trouble]
        for warning in (*configuration.warnings, *troubles):
            self.stderr.write(f"Warning: {warning}")
