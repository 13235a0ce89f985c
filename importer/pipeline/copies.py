"""Copy rows into the values of the objects that are created from them (OPEN-06)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from importer.package.check import ID
from importer.package.forms import SOURCE
from importer.package.shapes import ObjectError, Problem, Step
from importer.package.tokens import Moment
from importer.package.words import gettext as _
from importer.pipeline.ports import Target
from importer.pipeline.resolve import Resolver
from importer.pipeline.values import Visited
from importer.pipeline.window import Window


class Copies:
    """Make the copies that the objects of one window begin with, each source once."""

    def __init__(
        self, step: Step, target: Target, window: Window, moment: Moment
    ) -> None:
        self._step = step
        self._target = target
        self._window = window
        self._moment = moment
        self._made: dict[int, dict[str, Any]] = {}

    def foresee(
        self, resolver: Resolver, visited: Iterable[Visited], user: Any
    ) -> list[dict[str, Any]]:
        """Return the copies the objects will ask for, as far as they can be made."""
        if not self._step.source:
            return []
        for one in visited:
            try:
                named = {ID: "", SOURCE: one.item[SOURCE]}
                self._of(resolver.values(self._step, named, self._window)[SOURCE], user)
            except ObjectError:
                continue  # said where the object's own turn comes
        return list(self._made.values())

    def completed(self, values: dict[str, Any], user: Any) -> dict[str, Any]:
        """Return an object's values over those of its source; ObjectError if none."""
        if not self._step.source:
            return values
        row_id = values.pop(SOURCE)
        return {**self._of(row_id, user), **values}

    def _of(self, row_id: int, user: Any) -> dict[str, Any]:
        if row_id not in self._made:
            row = self._window.row(self._step.source, row_id)
            if row is None:
                gone = _("the row it is created from is gone")
                raise ObjectError([Problem(SOURCE, gone, "not-found")])
            copy = self._target.copy_of(self._step.source, row, user, self._moment)
            self._made[row_id] = copy
        return self._made[row_id]
