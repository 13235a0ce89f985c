"""What ends a run before its first write: errors of the header and the steps, and ids
that stand twice. The first hundred are told, and that there are more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from importer.package import paths
from importer.package.shapes import Diagnostic, Severity, error
from importer.package.skeleton import SkeletonCheck
from importer.package.suggestions import did_you_mean, near
from importer.package.wire_values import short
from importer.package.words import gettext as _
from importer.package.words import ngettext

MOST_COMPLAINTS = 100
# Each looks through all ids read so far.
_MOST_ASKED = 20


class Enough(Exception):
    """The end of reading a package that has more errors than anybody reads."""


class Complaints:
    """The errors found so far while a package is read for the first time."""

    def __init__(self, check: SkeletonCheck) -> None:
        self._check = check
        self._stopped = False
        self._asked = 0
        self._header: list[Diagnostic] = []
        self._steps: list[Diagnostic] = []
        self._doubled: dict[str, Diagnostic] = {}
        self._more_doubled = Counter[int]()

    def step(self, index: int, keys: Any) -> bool:
        """Judge a step and tell whether it is good; Enough at the hundredth error."""
        found = self._check.step(index, keys)
        self._steps += found
        if len(self._steps) >= MOST_COMPLAINTS:
            self._stopped = True
            raise Enough
        return not found

    def header(self, keys: Mapping[str, Any]) -> bool:
        """Judge the header and tell whether it is good and complete.

        Where reading has stopped, the keys that were not read yet are not missed.
        """
        unread = frozenset[str]()
        if self._stopped:
            keys = {"steps": [], **keys}
            unread = self._check.required - keys.keys()
        found = self._check.header(keys)
        self._header = [d for d in found if d.path not in unread]
        return not found

    def double(self, step: int, index: int, identifier: str) -> None:
        """Complain of an object whose id an earlier one has."""
        path = f"{paths.item_path(step, index)}.$id"
        if path in self._doubled:
            return
        if len(self._doubled) >= MOST_COMPLAINTS:
            self._more_doubled[step] += 1
            return
        reason = _("%(id)s is the $id of an earlier object already")
        self._doubled[path] = error(path, reason % {"id": short(identifier)})

    def read_again(self, step: int) -> None:
        """Prepare for the objects of a step to be read a second time."""
        self._more_doubled.pop(step, None)

    def meant(self, identifier: str, known: Iterable[str]) -> str:
        """Ask after the id that was meant by an unknown one, for the first of them."""
        self._asked += 1
        if self._asked > _MOST_ASKED:
            return ""
        return did_you_mean(identifier, near(identifier, known))

    def told(self) -> list[Diagnostic]:
        """Return the errors in the order of the package, and a note on the others."""
        found = [*self._header, *self._steps, *self._doubled.values()]
        more = max(0, len(found) - MOST_COMPLAINTS) + self._more_doubled.total()
        note = ""
        if len(self._header) + len(self._steps) >= MOST_COMPLAINTS:
            note = _("Reading stopped after %(count)s errors; there may be more.")
            note %= {"count": MOST_COMPLAINTS}
        elif more:
            note = ngettext(
                "%(count)s further error is not listed here.",
                "%(count)s further errors are not listed here.",
                more,
            )
        notes = [Diagnostic(Severity.INFO, paths.WHOLE, note)] if note else []
        return [*found[:MOST_COMPLAINTS], *notes]
