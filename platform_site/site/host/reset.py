"""The reset of a SQLite database, requested by a token or a policy: save, delete,
recreate. A file of intent makes every step repeatable (HOST-108..115)."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from platform_site.settings import data_folder as folders
from platform_site.settings.durable import as_json, replace_text, sync_folder
from platform_site.settings.errors import StartRefusedError
from platform_site.site.host.backups import back_up_before_reset
from platform_site.site.host.sqlite_file import DatabaseFileError, remove_database

TOKENS_FILE: Final = "reset-tokens.txt"
PENDING_FILE: Final = "reset-pending.json"
POLICY: Final = "reset"
logger = logging.getLogger("platform.host")


@dataclass(frozen=True, slots=True)
class Orders:
    """The settings for resets."""

    token: str
    policy: str


@dataclass(frozen=True, slots=True)
class Pending:
    """A reset in progress, as recorded in the file of intent.

    Once the old database is deleted nothing is deleted again: an existing file is the
    new one, perhaps incomplete, or one that an operator has put there.
    """

    token: str
    copy: str
    deleted: bool


def wanted_reset(
    orders: Orders,
    database: Path,
    folder: Path,
    has_unknown_migrations: Callable[[], bool],
) -> Pending | None:
    """Return the reset to do: an interrupted or a requested one.

    Both settings together request one. Raise StartRefusedError if the record can't be
    read.
    """
    with _refusing():
        pending = _read_pending(folder)
        if pending is not None and not pending.deleted:
            return pending
        done = pending.token if pending else ""
        if _is_new(orders.token, folder, done):
            return Pending(orders.token, copy="", deleted=False)
        if _policy_asks(orders, database, has_unknown_migrations):
            return Pending(done, copy="", deleted=False)
    return None


def is_reset_due(orders: Orders, folder: Path) -> bool:
    """Return whether a reset is in progress or requested by a token."""
    with _refusing():
        return _read_pending(folder) is not None or _is_new(orders.token, folder, "")


def begin_reset(reset: Pending, database: Path, folder: Path) -> None:
    """Save the database, record the intent, and delete the database.

    The caller then recreates it and calls `finish_reset`. Raise StartRefusedError if a
    step fails; the next start continues there.
    """
    with _refusing():
        folders.prepare(folder)
        pending = reset
        if database.exists():
            copy = back_up_before_reset(database, folder)
            pending = replace(reset, copy=copy.name)
        _write_pending(folder, pending)
        remove_database(database)
        _write_pending(folder, replace(pending, deleted=True))
    logger.warning("The database was reset; the old one is %s.", pending.copy or "none")


def finish_reset(folder: Path) -> None:
    """Record the token of a finished reset, then delete the intent (OPEN-109).

    Without the record each start would reset again, so a failure refuses the start.
    """
    try:
        pending = _read_pending(folder)
        if pending is None:
            return
        if pending.token and pending.token not in recorded_tokens(folder):
            tokens = [*recorded_tokens(folder), pending.token]
            replace_text(folder / TOKENS_FILE, "".join(f"{one}\n" for one in tokens))
        (folder / PENDING_FILE).unlink(missing_ok=True)
        sync_folder(folder)
    except OSError as error:
        raise StartRefusedError(
            f"The reset cannot be recorded in {folder / TOKENS_FILE} "
            f"({error.strerror or error}), and unrecorded it would happen again. Give "
            "the application's user write access to the folder."
        ) from error


def recorded_tokens(folder: Path) -> list[str]:
    """Return the tokens of finished resets, one per line of the file."""
    try:
        text = (folder / TOKENS_FILE).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise OSError(f"{folder / TOKENS_FILE} is not UTF-8 text") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def _is_new(token: str, folder: Path, done: str) -> bool:
    return bool(token) and token != done and token not in recorded_tokens(folder)


def _policy_asks(
    orders: Orders, database: Path, has_unknown_migrations: Callable[[], bool]
) -> bool:
    """Return whether the policy requests a reset; any value but Reset means no
    (OPEN-110)."""
    if orders.policy and orders.policy.casefold() != POLICY:
        logger.warning(
            "Platform:Database:IncompatibleHistory is '%s', which isn't a policy and "
            "has no effect; the only policy is Reset.",
            orders.policy,
        )
    wanted = orders.policy.casefold() == POLICY
    return wanted and database.exists() and has_unknown_migrations()


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except (OSError, DatabaseFileError, sqlite3.Error) as error:
        raise StartRefusedError(
            f"The database reset cannot be done: {str(error).rstrip('.')}. Correct "
            "that and start again."
        ) from error


def _read_pending(folder: Path) -> Pending | None:
    path = folder / PENDING_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Pending)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise OSError(
            f"{path} is damaged; delete it if no reset is wanted any more."
        ) from error


def _write_pending(folder: Path, pending: Pending) -> None:
    replace_text(folder / PENDING_FILE, as_json(pending))
