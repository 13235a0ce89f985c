"""The receiver that seeds demo data after migrations; a failure never stops a start."""

from __future__ import annotations

import logging
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection

from demo.models import DemoInstallation
from demo.seeding import (
    DemoRefused,
    apply_pending_update,
    seed,
    tell_errors,
    was_stopped,
)
from importer.services import EngineStopped, ImportInProgress, LockUnusable

logger = logging.getLogger("platform.demo")


def seed_after_migrate(sender: Any, *, using: str, **kwargs: Any) -> None:
    """Seed if the settings ask for it, and apply updates (OPEN-67)."""
    if using != DEFAULT_DB_ALIAS:
        return
    try:
        if not _tables_exist():
            return
        if DemoInstallation.objects.exists():
            apply_pending_update()
        elif settings.PLATFORM_DEMO_SEED:
            _seed()
    except (DemoRefused, EngineStopped, ImportInProgress, LockUnusable) as refusal:
        logger.error("There is no demo data: %s", refusal)
    except Exception:  # the platform must start after any error
        logger.exception("There is no demo data; the next start tries again.")


def _seed() -> None:
    logger.info("Loading the demo data; this takes a moment.")
    report = seed()
    if report is None:
        return
    if was_stopped(report):
        logger.info("Loading the demo data was stopped; the next start continues.")
    elif report.has_errors or report.status != "Completed":
        tell_errors(
            report, "The demo data could not be loaded; the next start continues"
        )
    else:
        logger.info("The demo data is loaded: %d objects.", len(report.items))


def _tables_exist() -> bool:
    """Return whether all needed tables exist, which they don't while migrating back."""
    tables = set(connection.introspection.table_names())
    return all(
        model._meta.db_table in tables
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed
    )
