"""Causes of one kind as one: what differs is the value alone, so is the remedy.

Reports list each cause, since programs look for a value. People read the kind, how much
of the run it explains and what helps, and the values only if they want to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from importer.package.taken_values import CODE as TAKEN
from importer.package.translation import ngettext
from importer.package.wire_values import short
from importer.pipeline.causes import Cause

_FIRST = 3
_GAP = "…"


class CauseGroup(msgspec.Struct, frozen=True):
    """Causes of one kind, or a single one: what people read as one line.

    An object may be refused for two causes, and wait for two: ``refused`` and
    ``waiting`` are ``at_least`` figures unless they cannot count an object twice.
    """

    causes: tuple[Cause, ...]
    message: str
    remedy: str
    refused: int
    waiting: int
    refused_at_least: bool = False
    waiting_at_least: bool = False

    @property
    def leading(self) -> Cause:
        """Return the cause that most others wait for."""
        return self.causes[0]

    @property
    def is_single(self) -> bool:
        """Return whether there is nothing to unfold."""
        return len(self.causes) == 1

    @property
    def counts_objects(self) -> bool:
        """Return whether the number of objects is news beside that of the values."""
        return self.refused != len(self.causes)

    @property
    def first_causes(self) -> tuple[Cause, ...]:
        """Return the causes whose values are shown at once."""
        return self.causes[:_FIRST]

    @property
    def more(self) -> int:
        """Return how many values are not shown at once."""
        return max(0, len(self.causes) - _FIRST)


def grouped(causes: Iterable[Cause]) -> tuple[CauseGroup, ...]:
    """Return causes by their kind, each kind where its first cause is listed."""
    kinds: dict[tuple[object, ...], list[Cause]] = {}
    for place, cause in enumerate(causes):
        kinds.setdefault(_kind(cause) or (place,), []).append(cause)
    return tuple(_group(tuple(alike)) for alike in kinds.values())


def _kind(cause: Cause) -> tuple[object, ...] | None:
    """Return what causes of one kind have in common, None for a cause of its own."""
    if cause.value is None or not cause.about:
        return None
    owner = cause.owner
    rows = owner and (owner.model, owner.package)
    # Whose the rows are is said of all of them; other reasons have to be the same.
    reason = "" if _is_taken(cause) else _without_value(cause.message, cause)
    return cause.code, cause.about, rows, reason, _without_value(cause.remedy, cause)


def _is_taken(cause: Cause) -> bool:
    return cause.code == TAKEN and cause.owner is not None


def _without_value(text: str, cause: Cause) -> str:
    """Return a text with a gap where it names the value, the row or its key."""
    value, owner = cause.value or "", cause.owner
    for word in (owner and owner.name, owner and owner.key, short(value)):
        if word:
            text = text.replace(word, _GAP, 1)
    # A number, which has no quotation marks.
    return re.sub(rf"(?<![\w.]){re.escape(value)}(?!\w)", _GAP, text, count=1)


def _group(causes: tuple[Cause, ...]) -> CauseGroup:
    first = causes[0]
    if len(causes) == 1:
        return CauseGroup(
            causes, first.message, first.remedy, first.count, first.dependants
        )
    counts = [cause.count for cause in causes]
    waiting = [cause.dependants for cause in causes if cause.dependants]
    # One object has many values in its lines, and refers to many others.
    in_lines = "." in first.about
    return CauseGroup(
        causes,
        _message(first, len(causes)),
        _without_value(first.remedy, first),
        max(counts) if in_lines else sum(counts),
        max(waiting, default=0),
        refused_at_least=in_lines,
        waiting_at_least=len(waiting) > 1,
    )


def _message(first: Cause, count: int) -> str:
    if first.owner is None or not _is_taken(first):
        return ngettext(
            "%(count)s value of %(property)s: %(message)s",
            "%(count)s values of %(property)s: %(message)s",
            count,
            property=first.about,
            message=_without_value(first.message, first),
        )
    if first.owner.package is None:
        return ngettext(
            "%(count)s value of %(property)s in %(target)s is taken by a row that was "
            "entered by hand.",
            "%(count)s values of %(property)s in %(target)s are taken by rows that "
            "were entered by hand.",
            count,
            property=first.about,
            target=first.owner.model,
        )
    return ngettext(
        "%(count)s value of %(property)s in %(target)s is taken by an object of the "
        "package %(package)s.",
        "%(count)s values of %(property)s in %(target)s are taken by objects of the "
        "package %(package)s.",
        count,
        property=first.about,
        target=first.owner.model,
        package=first.owner.package,
    )
