"""Settings of the tests: a data folder of their own that goes when the process ends,
and the provider named by the ordinary variables; read by pytest."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from platform_site.settings.configuration import activate
from platform_site.settings.connections import Provider

_folder = Path(tempfile.mkdtemp(prefix="platform-tests-"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
_database = {
    name: text
    for name, text in os.environ.items()
    if name.casefold() == "provider"
    or name.casefold().startswith("connectionstrings__")
}
_configuration = activate(
    {
        "ASPNETCORE_ENVIRONMENT": "Development",
        "ConnectionStrings__PostgreSql": (
            "Host=127.0.0.1;Port=5432;Database=postgres;Username=root"
        ),
        **_database,
        "Platform__DataPath": str(_folder),
    },
    # A developer's settings files must not decide what a test sees.
    folder=None,
)

from platform_site.accounts.standard import DEFAULT_ADMIN_PASSWORD  # noqa: E402
from platform_site.settings.base import *  # noqa: E402, F403 - reads what is active
from platform_site.settings.base import DATABASES  # noqa: E402 - as above

DEBUG = False
# Chosen, if only the documented one: so no wizard stands before the start page.
PLATFORM_SEED_ADMIN_PASSWORD = DEFAULT_ADMIN_PASSWORD
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if _configuration.connection.provider is Provider.SQLITE:
    # A file, not memory: threads and worker processes need connections of their own.
    DATABASES["default"]["TEST"] = {"NAME": str(_folder / "test.db")}
    # Nothing in a test must survive a power cut.
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA foreign_keys=ON"
    )
