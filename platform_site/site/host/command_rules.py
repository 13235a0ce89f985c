"""The Django commands refused in a published folder, and the commands that write
source; the page on operating has the same table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.settings.errors import WrongCallError

# Written by `publish`, read by the launcher.
_PUBLISHED: Final = "runtime.json"
_IN_A_CHECKOUT: Final = (
    "It writes program files, and those of a published folder stay as they were "
    "published: run it in a checkout, and publish again"
)
_PAST_HISTORY: Final = (
    "Rows would change without rights, history or a copy: import a package with "
    "import_package"
)
# Developer's commands that write source or published files.
SOURCE_COMMANDS: Final = frozenset(
    {
        "collectstatic",
        "compilemessages",
        "makemessages",
        "makemigrations",
        "optimizemigration",
        "publish",
        "squashmigrations",
        "start_module",
        "startapp",
        "startproject",
    }
)
REFUSED: Final[dict[str, str]] = {
    **dict.fromkeys(SOURCE_COMMANDS, _IN_A_CHECKOUT),
    "flush": (
        "It empties every table and keeps no copy: set Platform:Database:ResetToken to "
        "a new value to start with an empty database and keep a copy, "
        "or restore a backup"
    ),
    "loaddata": _PAST_HISTORY,
    "remove_stale_contenttypes": (
        "It deletes rights and whatever refers to models of other versions: take a "
        "backup, and run it in a checkout of this version"
    ),
    "runserver": "It serves without the steps of a start, and shows source code: use serve",
    "test": "The tests are not published: run make test in a checkout",
    "testserver": "It is for developers, and a checkout: use serve",
}


def writes_source(arguments: Sequence[str]) -> bool:
    """Return whether a command writes program files."""
    return command_of(arguments) in SOURCE_COMMANDS


def refuse_in_published_folder(
    arguments: Sequence[str], application: Path = APPLICATION_FOLDER
) -> None:
    """Raise WrongCallError for a command that would do harm in a published folder."""
    reason = REFUSED.get(command_of(arguments))
    if reason and is_published(application) and not asks_help(arguments):
        raise WrongCallError(
            f"{command_of(arguments)} is refused in a published folder. {reason}."
        )


def is_published(application: Path = APPLICATION_FOLDER) -> bool:
    """Return whether this is a published folder, not a checkout."""
    return (application / _PUBLISHED).is_file()


def command_of(arguments: Sequence[str]) -> str:
    """Return the name of the command in these arguments, empty if there is none."""
    return arguments[1] if len(arguments) > 1 else ""


def asks_help(arguments: Sequence[str]) -> bool:
    """Return whether only the help of a command is wanted."""
    return bool({"-h", "--help"} & set(arguments[2:]))
