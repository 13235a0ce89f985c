"""The product's settings for tests, durable as in service, with the peer beside it."""

from __future__ import annotations

from platform_site.settings.test import *  # noqa: F403
from platform_site.settings.test import DATABASES, INSTALLED_APPS

INSTALLED_APPS = [
    *INSTALLED_APPS,
    "import_export",
    "simple_history",
    "tests.benchmarks.peer",
]
if "init_command" in DATABASES["default"]["OPTIONS"]:
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON"
    )
else:
    DATABASES["default"]["TEST"] = {"NAME": "platform_benchmark"}
LOGGING = {"version": 1, "disable_existing_loggers": False}
