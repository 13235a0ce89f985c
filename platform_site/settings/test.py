"""Django's settings for tests: a temporary data folder, and the provider of the
ordinary variables."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from platform_site.settings.configuration import activate, build
from platform_site.settings.connections import Provider
from platform_site.settings.env import read_settings

_folder = Path(tempfile.mkdtemp(prefix="platform-tests-"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
_KEPT = ("provider", "connectionstrings__", "platform__apps")
_FOLDERS = ("platform__datapath", "platform__hostdatapath", "platform__appspath")
# Added apps are tested with the platform; their folder is the real one.
_kept = {n: t for n, t in os.environ.items() if n.casefold().startswith(_KEPT)}
_folders = {n: t for n, t in os.environ.items() if n.casefold() in _FOLDERS}
_apps_folder = build(read_settings(_folders)).apps_folder
_configuration = activate(
    {
        "ASPNETCORE_ENVIRONMENT": "Development",
        "ConnectionStrings__PostgreSql": (
            "Host=127.0.0.1;Port=5432;Database=postgres;Username=root"
        ),
        **{n: t for n, t in _kept.items() if n.casefold() not in _FOLDERS},
        "Platform__AppsPath": str(_apps_folder),
        "Platform__DataPath": str(_folder),
    },
    # Tests must not depend on a developer's settings files.
    folder=None,
)

from platform_site.settings.base import *  # noqa: E402, F403 - reads what is active
from platform_site.settings.base import DATABASES  # noqa: E402 - as above

DEBUG = False
# The documented password, but set explicitly, so that there is no wizard.
PLATFORM_SEED_ADMIN_PASSWORD = "Admin123!"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if _configuration.connection.provider is Provider.SQLITE:
    # A file and not memory, because threads and processes need their own connections.
    DATABASES["default"]["TEST"] = {"NAME": str(_folder / "test.db")}
    # Tests need no durability.
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON"
    )
