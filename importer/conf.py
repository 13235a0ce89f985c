"""The importer's settings, all under the one dictionary ``IMPORTER``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings

_DEFAULTS: dict[str, Any] = {
    # Name a package must carry in its header (OPEN-02).
    "CONFIGURATION": "",
    # Zone of tokens where neither the caller nor the user names one (OPEN-28).
    "TIME_ZONE": "UTC",
    # File that is locked during a run on SQLite; beside the database by default.
    "LOCK_FILE": None,
    # Runs kept per package; 0 keeps all (OPEN-49).
    "RUNS_TO_KEEP": 0,
    # Largest package file the endpoints take, in bytes (OPEN-55).
    "MAX_PACKAGE_SIZE_BYTES": 50 * 1024 * 1024,
    # The folder for sources of background runs; the system's temporary folder by default.
    "TEMP_FOLDER": None,
    # The private folder for uploads between dry run and import, shared by all
    # processes; in the temporary folder by default.
    "UPLOAD_FOLDER": None,
    # The class of Django's storages, without arguments, that has the uploads instead.
    "UPLOAD_STORAGE": "",
    # The class that carries out background runs, such as ``ThreadEngine``.
    "RUN_ENGINE": "importer.runs.background.ThreadEngine",
    # Whether another worker repeats a run whose process died or was stopped; only with
    # an engine that has workers.
    "RESUME_INTERRUPTED": False,
}


def names() -> list[str]:
    """Return the names of all settings."""
    return list(_DEFAULTS)


def setting(name: str) -> Any:
    """Return a setting of the importer, or its default."""
    return getattr(settings, "IMPORTER", {}).get(name, _DEFAULTS[name])


def configuration() -> str:
    """Return the name of this installation's configuration."""
    return str(setting("CONFIGURATION"))


def upload_folder() -> Path:
    """Return the folder of uploaded packages."""
    temporary = Path(setting("TEMP_FOLDER") or tempfile.gettempdir())
    return Path(setting("UPLOAD_FOLDER") or temporary / "importer-uploads")


def lock_file(database: Any) -> Path | None:
    """Return the lock file of a database, None for one in memory."""
    configured = setting("LOCK_FILE")
    if configured:
        return Path(configured)
    name = str(database)
    in_memory = ":memory:" in name or "mode=memory" in name
    return None if in_memory else Path(name).parent / ".import.lock"
