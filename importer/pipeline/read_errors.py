"""The errors that end a run before its first write: those of header and steps, and
duplicate ids. The first hundred are reported, with a note on the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

from importer.package import paths
from importer.package.header_check import HeaderCheck
from importer.package.json_stream import JsonError, place_of
from importer.package.shapes import Diagnostic, Severity, error
from importer.package.suggestions import did_you_mean, near
from importer.package.translation import gettext as _, ngettext
from importer.package.wire_values import short

MAX_ERRORS = 100
# Each suggestion searches all ids read so far.
_MOST_ASKED = 20


class TooManyErrors(Exception):
    """The end of reading a package with too many errors."""


class ReadErrors:
    """The errors found during the first reading of a package."""

    def __init__(self, check: HeaderCheck) -> None:
        self._check = check
        self._stopped = False
        self._asked = 0
        self._header: list[Diagnostic] = []
        self._steps: list[Diagnostic] = []
        self._duplicates: dict[str, Diagnostic] = {}
        self._more_duplicates = Counter[int]()

    def check_step(self, index: int, keys: Any) -> bool:
        """Check a step and return whether it is valid; raise TooManyErrors at the
        hundredth error."""
        found = self._check.step(index, keys)
        self._steps += found
        if len(self._steps) >= MAX_ERRORS:
            self._stopped = True
            raise TooManyErrors
        return not found

    def check_header(self, keys: Mapping[str, Any]) -> bool:
        """Check the header and return whether it is valid and complete.

        If reading has stopped early, keys that weren't read don't count as missing.
        """
        unread = frozenset[str]()
        if self._stopped:
            keys = {"steps": [], **keys}
            unread = self._check.required - keys.keys()
        found = self._check.header(keys)
        self._header = [d for d in found if d.path not in unread]
        return not found

    def add_duplicate(self, step: int, index: int, identifier: str) -> None:
        """Add the error of an object with the id of an earlier one."""
        path = f"{paths.item_path(step, index)}.$id"
        if path in self._duplicates:
            return
        if len(self._duplicates) >= MAX_ERRORS:
            self._more_duplicates[step] += 1
            return
        reason = _("%(id)s is already the $id of an earlier object")
        self._duplicates[path] = error(path, reason % {"id": short(identifier)})

    def forget_duplicates(self, step: int) -> None:
        """Remove the unlisted duplicates of a step that is read again."""
        self._more_duplicates.pop(step, None)

    def suggest_id(self, identifier: str, known: Iterable[str]) -> str:
        """Return a suggestion for an unknown id, for the first twenty only."""
        self._asked += 1
        if self._asked > _MOST_ASKED:
            return ""
        return did_you_mean(identifier, near(identifier, known))

    def diagnostics(self) -> list[Diagnostic]:
        """Return the errors in the order of the package, and a note on the others."""
        found = [*self._header, *self._steps, *self._duplicates.values()]
        more = max(0, len(found) - MAX_ERRORS) + self._more_duplicates.total()
        note = ""
        if len(self._header) + len(self._steps) >= MAX_ERRORS:
            note = _("Reading stopped after %(count)s errors; there may be more.")
            note %= {"count": MAX_ERRORS}
        elif more:
            note = ngettext(
                "%(count)s further error is not listed here.",
                "%(count)s further errors are not listed here.",
                more,
            )
        notes = [Diagnostic(Severity.INFO, paths.WHOLE, note)] if note else []
        return [*found[:MAX_ERRORS], *notes]


def syntax_error(source: BinaryIO, wrong: JsonError, where: str) -> Diagnostic:
    """Return an error of the text with line and column; a refused value is at a path
    of the package."""
    place = place_of(source, wrong.offset)
    counted = {"line": place.line, "column": place.column}
    at = _("line %(line)s, column %(column)s") % counted
    if wrong.syntax:
        return error(paths.WHOLE, f"{at}: {wrong.reason}")
    return error(where, f"{wrong.reason} ({at})")
