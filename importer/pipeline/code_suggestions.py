"""Suggestions for unknown codes. Nothing is queried before an object fails; then it
takes a query or two per code, only for the first codes of a run."""

from __future__ import annotations

from typing import Any

from importer.package.suggestions import did_you_mean
from importer.pipeline.actor import Actor
from importer.pipeline.ports import Targets
from importer.pipeline.window import Window

_MOST_ASKED = 20
# Up to so many rows, all codes are compared; beyond, only those that differ in case.
_FEW = 2000


class CodeSuggestions:
    """The cached suggestions for the unknown codes of a run."""

    def __init__(self, targets: Targets, actor: Actor) -> None:
        self._targets = targets
        self._actor = actor
        self._suggestions: dict[tuple[str, str], str] = {}
        self._deleted: dict[tuple[str, str], Any | None] = {}

    def suggest(self, to: str, code: str, window: Window) -> str:
        """Return the text to append to the error about an unknown code.

        It is empty if no code is similar. Users who may not see the rows of a table
        don't get their codes.
        """
        if window.holders(to, self._targets[to].spec.code, code):
            return ""  # The code is right; something else is wrong.
        what = (to, code)
        if what not in self._suggestions and len(self._suggestions) < _MOST_ASKED:
            known = self._known(to, code, window) if self.may_view(to) else []
            self._suggestions[what] = did_you_mean(code, known)
        return self._suggestions.get(what, "")

    def deleted(self, to: str, code: str) -> Any | None:
        """Return the deleted row with an unknown code, to users who may see it."""
        what = (to, code)
        if what not in self._deleted and len(self._deleted) < _MOST_ASKED:
            may_view = self.may_view(to)
            self._deleted[what] = (
                self._targets[to].deleted_row(code) if may_view else None
            )
        return self._deleted.get(what)

    def may_view(self, to: str) -> bool:
        """Return whether the user may see the rows of a table."""
        return self._targets[to].may_view(self._actor.user)

    def _known(self, to: str, code: str, window: Window) -> list[str]:
        """Return the candidate codes, including the changes of this run."""
        target = self._targets[to]
        name = target.spec.code
        # Planned rows count too, so that a dry run decides like the real run.
        found = window.current_values(to, name, target.codes(_FEW + 1))
        if len(found) <= _FEW:
            return list(found.values())
        bare = code.strip()
        forms = [bare, bare.upper(), bare.lower(), bare.capitalize(), bare.title()]
        window.load_live(to, name, forms)
        return [form for form in forms if window.holders(to, name, form)]
