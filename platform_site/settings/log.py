"""Django's logging settings, made from ours: everything goes to standard error for the
process manager (OPEN-121)."""

from __future__ import annotations

from typing import Any

from platform_site.settings.effective import EffectiveSettings

_LINES = "platform_site.site.host.log_lines"
_TEXT = {
    "class": f"{_LINES}.LineFormatter",
    "format": "{asctime} {levelname} {name}{work}: {message}",
    "style": "{",
}
_JSON = {"class": f"{_LINES}.JsonFormatter"}


def logging_settings(settings: EffectiveSettings) -> dict[str, Any]:
    """Return the argument for the function of `logging_function`."""
    access = "INFO" if settings.switch("Logging:Access") else "WARNING"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": _JSON if _is_json(settings) else _TEXT,
            "text": _TEXT,
        },
        "filters": {"refusals": {"()": f"{_LINES}.RefusalsInOneLine"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["refusals"],
            },
            "recent": {
                "class": "platform_site.site.host.recent_lines.RecentLines",
                "formatter": "text",
                "filters": ["refusals"],
            },
        },
        "root": {"handlers": ["stderr", "recent"], "level": "WARNING"},
        "loggers": {
            "platform": {"level": "INFO"},
            "platform.access": {"level": access},
            "importer": {"level": "INFO"},
            "django": {"level": "WARNING"},
        },
    }


def logging_function(settings: EffectiveSettings) -> str:
    """Return the path of the function that configures the log."""
    if _is_json(settings):
        return f"{_LINES}.configure_json"
    return "logging.config.dictConfig"


def _is_json(settings: EffectiveSettings) -> bool:
    return settings.text("Logging:Format") == "json"
