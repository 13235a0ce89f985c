"""Groups of causes that differ only in their value and so have the same remedy.

Reports list each cause, since programs need the values. Users read the kind of problem,
its share of the run and the remedy, and the values only on demand.
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
    """Causes of one kind, shown as one line.

    An object may have two causes and depend on two: ``refused`` and ``waiting`` are
    minimum figures (``at_least``) unless no object can be counted twice.
    """

    causes: tuple[Cause, ...]
    message: str
    remedy: str
    refused: int
    waiting: int
    refused_at_least: bool = False
    waiting_at_least: bool = False

    @property
    def title(self) -> str:
        """Return the message as a sentence, which names the property if it is about one
        place: messages that continue a path begin with a small letter."""
        name = self.leading.first.path.rpartition(".")[2]
        if self.is_single and name and self.message[:1].islower():
            return f"{name} {self.message}"
        return self.message[:1].upper() + self.message[1:]

    @property
    def leading(self) -> Cause:
        """Return the cause with the most dependants."""
        return self.causes[0]

    @property
    def is_single(self) -> bool:
        """Return whether the group has only one cause."""
        return len(self.causes) == 1

    @property
    def counts_objects(self) -> bool:
        """Return whether the number of objects differs from that of values."""
        return self.refused != len(self.causes)

    @property
    def first_causes(self) -> tuple[Cause, ...]:
        """Return the causes whose values are shown at first."""
        return self.causes[:_FIRST]

    @property
    def more(self) -> int:
        """Return the number of values that are not shown at first."""
        return max(0, len(self.causes) - _FIRST)


def grouped(causes: Iterable[Cause]) -> tuple[CauseGroup, ...]:
    """Return the groups of causes, in the order of their first causes."""
    kinds: dict[tuple[object, ...], list[Cause]] = {}
    for place, cause in enumerate(causes):
        kinds.setdefault(_kind(cause) or (place,), []).append(cause)
    return tuple(_group(tuple(alike)) for alike in kinds.values())


def _kind(cause: Cause) -> tuple[object, ...] | None:
    """Return what the causes of one kind have in common, None for a single cause."""
    if cause.value is None or not cause.about:
        return None
    owner = cause.owner
    rows = owner and (owner.model, owner.package)
    # The owner is shown for all rows of a group; other reasons must be equal.
    reason = "" if _is_taken(cause) else _without_value(cause.message, cause)
    return cause.code, cause.about, rows, reason, _without_value(cause.remedy, cause)


def _is_taken(cause: Cause) -> bool:
    return cause.code == TAKEN and cause.owner is not None


def _without_value(text: str, cause: Cause) -> str:
    """Return a text with a placeholder for the value, the row or its key."""
    value, owner = cause.value or "", cause.owner
    for word in (owner and owner.name, owner and owner.key, short(value)):
        if word:
            text = text.replace(word, _GAP, 1)
    # A number has no quotation marks.
    return re.sub(rf"(?<![\w.]){re.escape(value)}(?!\w)", _GAP, text, count=1)


def _group(causes: tuple[Cause, ...]) -> CauseGroup:
    first = causes[0]
    if len(causes) == 1:
        return CauseGroup(
            causes, first.message, first.remedy, first.count, first.dependants
        )
    counts = [cause.count for cause in causes]
    waiting = [cause.dependants for cause in causes if cause.dependants]
    # One object can have many values in its lines, and many references.
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
