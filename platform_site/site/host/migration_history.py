"""The comparison of a database's recorded migrations with those of this build, for the
guard before migrations and the reset. Pure."""

from __future__ import annotations

from collections.abc import Iterable

Name = tuple[str, str]


def unknown_migrations(
    recorded: Iterable[Name], built: Iterable[Name], replaced: Iterable[Name]
) -> tuple[Name, ...]:
    """Return what is recorded but neither in this build nor replaced by it (OPEN-106).

    A migration that another one's `replaces` names is known: a squash in a library
    must not stop the start.
    """
    return tuple(sorted(set(recorded) - set(built) - set(replaced)))


def written(names: Iterable[Name], most: int = 5) -> str:
    """Return the names as people write them, `app.name`, at most so many."""
    listed = [".".join(name) for name in names]
    rest = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {rest} more" if rest > 0 else "")


def refusal(unknown: Iterable[Name], *, can_be_reset: bool) -> str:
    """Return the sentence that refuses the start and says what may be done."""
    text = (
        f"The database holds migrations that this version does not know: "
        f"{written(unknown)}. Nothing was changed. Start the version that made them, "
        "or restore a backup taken before them"
    )
    if can_be_reset:
        text += (
            "; Platform:Database:ResetToken or IncompatibleHistory would save the "
            "database to backups/ and begin with an empty one"
        )
    return f"{text}."
