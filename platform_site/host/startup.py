"""The startup sequence: what `serve` and `startup` do, in order, before the site may
serve requests. Every step can be repeated, so an interrupted start is only repeated."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import DatabaseError

from importer.services import (
    ImportInProgress,
    LockUnusable,
    import_lock,
    is_out_of_space,
    mark_interrupted_runs,
)
from licensing.services import announce_licence
from platform_site.host import data_folder as folders
from platform_site.host import signing_key
from platform_site.host.backups import backups_folder
from platform_site.host.before_migrations import migration_lock, unknown_in_file
from platform_site.host.early_stop import early_stop
from platform_site.host.instance_lock import only_instance
from platform_site.host.refusal import StartRefusedError
from platform_site.host.reset import Orders, begin_reset, finish_reset, wanted_reset
from platform_site.settings.connections import Provider
from platform_site.settings.env import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from platform_site.settings.configuration import Configuration

_SHORT_SECRET_BYTES = 32
logger = logging.getLogger("platform.host")


@contextmanager
def started(configuration: Configuration) -> Iterator[None]:
    """Run the startup sequence (OPEN-105) and hold the instance lock while inside.

    Raises StartRefusedError with a sentence for the operator, and StartStopped where a
    signal asks for it; the caller may let somebody else hear signals while inside.
    """
    _report(configuration)
    announce_licence()
    folders.prepare(configuration.data_folder)
    with early_stop() as stop, only_instance(configuration.data_folder):
        _use_signing_key(configuration)
        prepare_database_folder(configuration)
        _reset_if_asked(configuration)
        _migrate()
        stop.obey()
        finish_reset(backups_folder(configuration.data_folder))
        _close_interrupted_runs()
        # The thread that prepared the database is not one that serves requests.
        connections.close_all()
        stop.obey()
        yield


def _report(configuration: Configuration) -> None:
    logger.info("Environment: %s", configuration.settings.environment)
    logger.info("Data folder: %s", configuration.data_folder)
    for effective in configuration.settings.all_effective():
        if effective.source != BUILT_IN:
            logger.info(
                "Setting %s: %s (%s)", effective.key, effective.shown, effective.source
            )
    for warning in configuration.warnings:
        logger.warning("%s", warning)


def _use_signing_key(configuration: Configuration) -> None:
    """Create the key where none is configured, and sign with it from here on."""
    secret = configuration.settings.text("JwtOptions:Secret")
    if secret and len(secret.encode()) < _SHORT_SECRET_BYTES:
        logger.warning(
            "JwtOptions:Secret is shorter than %d bytes; use a long random text.",
            _SHORT_SECRET_BYTES,
        )
    if not secret:
        signing_key.ensure_signing_key(configuration.data_folder)
    django_settings.SECRET_KEY = configuration.secret_key


def prepare_database_folder(configuration: Configuration) -> None:
    """Create the folder of a SQLite file, for SQLite creates the file alone."""
    if configuration.connection.provider is Provider.SQLITE:
        folders.prepare(Path(str(configuration.connection.entry["NAME"])).parent)


def _reset_if_asked(configuration: Configuration) -> None:
    """Save and delete a SQLite database where a setting asks; no other ever (HOST-115)."""
    if configuration.connection.provider is not Provider.SQLITE:
        return
    settings = configuration.settings
    orders = Orders(
        token=settings.text("Platform:Database:ResetToken"),
        policy=settings.text("Platform:Database:IncompatibleHistory"),
    )
    database = Path(str(configuration.connection.entry["NAME"]))
    folder = backups_folder(configuration.data_folder)
    reset = wanted_reset(
        orders, database, folder, lambda: bool(unknown_in_file(database))
    )
    if reset is None:
        return
    try:
        # A package that is being imported would go on writing into a deleted file.
        with migration_lock(), import_lock("the start", "a reset"):
            begin_reset(reset, database, folder)
    except (ImportInProgress, LockUnusable) as error:
        raise StartRefusedError(str(error)) from None


def _migrate() -> None:
    """Bring the schema up to date; its post-migrate receivers seed the accounts."""
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            logger.info("Applying %d migrations.", len(plan))
        call_command("migrate", interactive=False, verbosity=0)
    except DatabaseError as error:
        raise _unusable(error) from error


def _unusable(error: DatabaseError) -> StartRefusedError:
    if is_out_of_space(error):
        return StartRefusedError("The disk of the database is full; make room first.")
    reason = " ".join(str(error).split())
    return StartRefusedError(
        f"The database cannot be used: {reason}. Check Provider and the "
        "connection string, and that the database server runs."
    )


def _close_interrupted_runs() -> None:
    try:
        count = mark_interrupted_runs()
    except LockUnusable as error:
        raise StartRefusedError(str(error)) from None
    except DatabaseError as error:
        raise _unusable(error) from error
    if count:
        logger.warning("%d import runs had been interrupted.", count)
