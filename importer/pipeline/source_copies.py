"""The values that objects copy from the rows they are created from (OPEN-06)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from importer.package.check import ID
from importer.package.shapes import ObjectError, Problem, Step
from importer.package.step_objects import SOURCE
from importer.package.tokens import Moment
from importer.package.translation import gettext as _
from importer.pipeline.ports import Target
from importer.pipeline.resolve import Resolver
from importer.pipeline.values import ObjectContent
from importer.pipeline.window import Window


class SourceCopies:
    """The copies for the objects of one window, one per source row."""

    def __init__(
        self, step: Step, target: Target, window: Window, moment: Moment
    ) -> None:
        self._step = step
        self._target = target
        self._window = window
        self._moment = moment
        self._made: dict[int, dict[str, Any]] = {}

    def make(
        self, resolver: Resolver, contents: Iterable[ObjectContent], user: Any
    ) -> list[dict[str, Any]]:
        """Make the copies that the objects need, as far as possible."""
        if not self._step.source:
            return []
        for content in contents:
            try:
                named = {ID: "", SOURCE: content.item[SOURCE]}
                self._of(resolver.values(self._step, named, self._window)[SOURCE], user)
            except ObjectError:
                continue  # reported when this object is imported
        return list(self._made.values())

    def with_copy(self, values: dict[str, Any], user: Any) -> dict[str, Any]:
        """Return an object's values merged over its copy; raise ObjectError without
        one."""
        if not self._step.source:
            return values
        row_id = values.pop(SOURCE)
        return {**self._of(row_id, user), **values}

    def _of(self, row_id: int, user: Any) -> dict[str, Any]:
        if row_id not in self._made:
            row = self._window.row(self._step.source, row_id)
            if row is None:
                gone = _("the row that it is created from no longer exists")
                raise ObjectError([Problem(SOURCE, gone, "not-found")])
            copy = self._target.copy_of(self._step.source, row, user, self._moment)
            self._made[row_id] = copy
        return self._made[row_id]
