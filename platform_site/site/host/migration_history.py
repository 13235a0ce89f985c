"""The comparison of a database's recorded migrations with those of this version, for
the guard before migrations and the reset. Pure."""

from __future__ import annotations

from collections.abc import Iterable

Name = tuple[str, str]


def unknown_migrations(
    recorded: Iterable[Name], built: Iterable[Name], replaced: Iterable[Name]
) -> tuple[Name, ...]:
    """Return recorded migrations that this version neither has nor replaces (OPEN-106).

    A migration in another one's `replaces` is known: squashed migrations of a library
    must not stop the start.
    """
    return tuple(sorted(set(recorded) - set(built) - set(replaced)))


def written(names: Iterable[Name], most: int = 5) -> str:
    """Return the names as `app.name`, up to a number."""
    listed = [".".join(name) for name in names]
    rest = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {rest} more" if rest > 0 else "")


def refusal(unknown: Iterable[Name], way_back: str, *, can_be_reset: bool) -> str:
    """Return the text that refuses the start and explains the remedies.

    `way_back` is the sentence about the newest backup from before them.
    """
    text = (
        f"The database holds migrations that this version does not know: "
        f"{written(unknown)}. Nothing was changed. Start the version that made them, "
        f"or restore a backup taken before them. {way_back}"
    )
    if can_be_reset:
        text += (
            " Platform:Database:ResetToken or IncompatibleHistory would save the "
            "database to backups/ and begin with an empty one."
        )
    return text
