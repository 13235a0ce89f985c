"""Django's settings for several nodes on one database (`Platform:Nodes`)."""

from __future__ import annotations

import secrets
from typing import Any, Final

from platform_site.settings.configuration import Configuration

# The library of the task queue would import the module `tasks` of any app.
NO_DISCOVERY: Final = ""
# The names of the database sessions of a process begin with it.
SESSIONS: Final = "platform-node-"


def apps(configuration: Configuration) -> list[str]:
    """Return the apps of several nodes, which are loaded in no other mode; their tables
    come with the first start in this one."""
    if not configuration.has_nodes:
        return []
    return ["procrastinate.contrib.django", "platform_site.nodes"]


def databases(configuration: Configuration) -> dict[str, dict[str, Any]]:
    """Return Django's entry of the database by its alias; the sessions of a process have a name that
    tells them from those of other nodes."""
    entry: dict[str, Any] = dict(configuration.connection.entry)
    if configuration.has_nodes:
        name = f"{SESSIONS}{secrets.token_hex(8)}"
        entry["OPTIONS"] = {**entry["OPTIONS"], "application_name": name}
    return {"default": entry}


def job_deferrer(configuration: Configuration) -> str:
    """Return the path of the function that gives due executions of jobs to the workers,
    within their transaction; empty if the process of the scheduler runs them."""
    if not configuration.has_nodes:
        return ""
    return "platform_site.nodes.queue.defer_execution"


def importer_settings(configuration: Configuration) -> dict[str, Any]:
    """Return what the importer needs to know: who carries out runs, and the bucket."""
    found: dict[str, Any] = {}
    if configuration.blobs_bucket is not None:
        storage = "platform_site.files.package_storage.BucketPackages"
        found["UPLOAD_STORAGE"] = storage
    if configuration.has_nodes:
        resume = configuration.settings.switch("Import:ResumeInterrupted")
        found["RUN_ENGINE"] = "platform_site.nodes.queue.NodesEngine"
        found["RESUME_INTERRUPTED"] = resume
    return found
