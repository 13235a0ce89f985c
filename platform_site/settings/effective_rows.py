"""The effective settings as rows for people: `show_settings` and the system page."""

from __future__ import annotations

from platform_site.settings.configuration import Configuration

_DERIVED = "derived"


def effective_rows(configuration: Configuration) -> list[tuple[str, str, str]]:
    """Return the name, the value and the source of each setting; secrets are masked."""
    settings = configuration.settings
    rows = [
        ("Environment", settings.environment, _DERIVED),
        (
            "Data folder",
            str(configuration.data_folder),
            configuration.data_folder_source,
        ),
        ("Attachments", str(configuration.blobs_folder), _DERIVED),
    ]
    return rows + [(one.key, one.shown, one.source) for one in settings.all_effective()]


def setting_warnings(configuration: Configuration) -> list[str]:
    """Return what is wrong with the settings."""
    settings = configuration.settings.all_effective()
    return [*configuration.warnings, *(one.trouble for one in settings if one.trouble)]
