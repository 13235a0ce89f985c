"""The startup sequence of `serve` and `startup`: the ordered steps before the site may
serve requests. Every step can be repeated after an interruption."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connections
from django.db.utils import DatabaseError

from importer.services import (
    ImportInProgress,
    LockUnusable,
    import_lock,
    is_out_of_space,
    mark_interrupted_runs,
)
from licensing.services import announce_licence
from platform_site import __version__
from platform_site.settings import data_folder as folders, key_rotation, signing_key
from platform_site.settings.configuration import Configuration
from platform_site.settings.env import BUILT_IN
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.attachments import check_bucket
from platform_site.site.host.backups import backups_folder
from platform_site.site.host.before_migrations import migration_lock, unknown_in_file
from platform_site.site.host.database_check import forget_checks
from platform_site.site.host.early_stop import early_stop
from platform_site.site.host.empty_start import (
    create_file,
    prepare_database_file,
    sqlite_file,
)
from platform_site.site.host.installation import unusable, warning_of_program_folder
from platform_site.site.host.instance_lock import only_instance
from platform_site.site.host.last_start import record_start
from platform_site.site.host.pending_restore import (
    finish_restore,
    refuse_while_pending,
)
from platform_site.site.host.reset import (
    Orders,
    begin_reset,
    finish_reset,
    is_reset_due,
    wanted_reset,
)
from platform_site.site.host.server_lock import only_server, turn_to_start
from platform_site.site.host.shared_by_nodes import shared_by_nodes

_SHORT_SECRET_BYTES = 32
logger = logging.getLogger("platform.host")


@contextmanager
def started(configuration: Configuration) -> Iterator[None]:
    """Run the startup sequence (OPEN-105) and hold the instance lock inside the block.

    Raise StartRefusedError with a sentence for the operator, and StartStopped after a
    signal; callers may handle signals themselves inside the block.
    """
    _report(configuration)
    announce_licence()
    folders.prepare(configuration.data_folder)
    with (
        early_stop() as stop,
        only_instance(configuration.data_folder),
        ExitStack() as held,
    ):
        check_bucket(configuration)
        with _told_as_refusals(configuration), turn_to_start(configuration):
            locks = held.enter_context(only_server(configuration))
            finish_restore(configuration)
            prepare_database(configuration)
            folders.take_from_others(
                configuration.data_folder, sqlite_file(configuration)
            )
            _use_signing_key(configuration)
            locks += held.enter_context(shared_by_nodes(configuration))
            _reset_if_asked(configuration)
            _migrate()
            stop.obey()
            finish_reset(backups_folder(configuration.data_folder))
            _close_interrupted_runs()
            record_start(configuration.data_folder)
        # The thread that prepared the database doesn't serve requests.
        connections.close_all()
        stop.obey()
        yield


def _report(configuration: Configuration) -> None:
    logger.info("Version: %s", __version__)
    logger.info("Environment: %s", configuration.settings.environment)
    logger.info("Provider: %s", configuration.connection.provider.value)
    logger.info(
        "Data folder: %s (%s)",
        configuration.data_folder,
        configuration.data_folder_source,
    )
    for effective in configuration.settings.all_effective():
        if effective.source != BUILT_IN:
            logger.info(
                "Setting %s: %s (%s)", effective.key, effective.shown, effective.source
            )
    for warning in configuration.warnings:
        logger.warning("%s", warning)


def _use_signing_key(configuration: Configuration) -> None:
    """Create the key if none is configured, and use it from here on."""
    secret = configuration.settings.text("JwtOptions:Secret")
    if secret and len(secret.encode()) < _SHORT_SECRET_BYTES:
        logger.warning(
            "JwtOptions:Secret is shorter than %d bytes; use a long random text.",
            _SHORT_SECRET_BYTES,
        )
    if not secret:
        signing_key.ensure_signing_key(configuration.data_folder)
    django_settings.SECRET_KEY = configuration.secret_key
    _look_after_earlier_keys(configuration)


def _look_after_earlier_keys(configuration: Configuration) -> None:
    lifetime = key_rotation.longest_lifetime(configuration.settings)
    now = datetime.now(UTC)
    for old in key_rotation.forget_expired_keys(
        configuration.data_folder, lifetime, now
    ):
        logger.info("The earlier key %s was deleted: nothing needs it.", old.path)
    if count := len(configuration.previous_token_keys()):
        logger.info("Sign-ins with %d earlier signing keys are still accepted.", count)


def prepare_database(configuration: Configuration) -> None:
    """Create or refuse a SQLite file, unless a reset is about to replace it."""
    refuse_while_pending(configuration)
    if warning := warning_of_program_folder(configuration):
        logger.warning("%s", warning)
    folder = backups_folder(configuration.data_folder)
    if sqlite_file(configuration) and is_reset_due(_orders(configuration), folder):
        return
    prepare_database_file(configuration)


def _orders(configuration: Configuration) -> Orders:
    settings = configuration.settings
    return Orders(
        token=settings.text("Platform:Database:ResetToken"),
        policy=settings.text("Platform:Database:IncompatibleHistory"),
    )


def _reset_if_asked(configuration: Configuration) -> None:
    """Save and delete a SQLite database if a setting asks for it; no other database
    (HOST-115)."""
    database = sqlite_file(configuration)
    if database is None:
        return
    folders.prepare(database.parent)
    folder = backups_folder(configuration.data_folder)
    reset = wanted_reset(
        _orders(configuration),
        database,
        folder,
        lambda: bool(unknown_in_file(database)),
    )
    if reset is not None:
        try:
            # An import in progress would continue writing to a deleted file.
            with migration_lock(), import_lock("the start", "a reset"):
                begin_reset(reset, database, folder)
                forget_checks(configuration.data_folder)
        except (ImportInProgress, LockUnusable) as error:
            raise StartRefusedError(str(error)) from None
    create_file(configuration)


def _migrate() -> None:
    """Migrate the schema; its receivers seed the accounts."""
    call_command("migrate", interactive=False, verbosity=0)


def _close_interrupted_runs() -> None:
    count = mark_interrupted_runs()
    if count:
        logger.warning("%d import runs had been interrupted.", count)


@contextmanager
def _told_as_refusals(configuration: Configuration) -> Iterator[None]:
    """Convert errors of database or lock into sentences for the operator."""
    try:
        yield
    except LockUnusable as error:
        raise StartRefusedError(str(error)) from None
    except DatabaseError as error:
        raise _unusable(configuration, error) from error


def _unusable(configuration: Configuration, error: DatabaseError) -> StartRefusedError:
    if is_out_of_space(error):
        return StartRefusedError(
            "The disk of the database is full; free some space first."
        )
    return unusable(configuration, error)
