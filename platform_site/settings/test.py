"""Settings of the tests: a data folder of their own that goes when the process ends,
and the provider named by the ordinary variables; read by pytest."""

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
# Apps that were added are tested with the product; their folder is the real one.
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
    # A developer's settings files must not decide what a test sees.
    folder=None,
)

from platform_site.settings.base import *  # noqa: E402, F403 - reads what is active
from platform_site.settings.base import DATABASES  # noqa: E402 - as above

DEBUG = False
# The documented password, but chosen: so no wizard stands before the start page.
PLATFORM_SEED_ADMIN_PASSWORD = "Admin123!"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if _configuration.connection.provider is Provider.SQLITE:
    # A file, not memory: threads and worker processes need connections of their own.
    DATABASES["default"]["TEST"] = {"NAME": str(_folder / "test.db")}
    # Nothing in a test must survive a power cut.
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON"
    )
