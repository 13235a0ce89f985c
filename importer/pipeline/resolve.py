"""The resolution of an object's references and tokens to row keys and dates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from importer.package.check import ID
from importer.package.fields import FieldKind, FieldSpec
from importer.package.references import (
    BY_ID,
    Reference,
    references,
    replaceable,
    replaced,
)
from importer.package.shapes import ObjectError, Problem, Step
from importer.package.tokens import Moment, token_date, token_datetime
from importer.package.translation import gettext as _
from importer.package.wire_values import short
from importer.pipeline.memory import Memory
from importer.pipeline.ports import Targets
from importer.pipeline.window import Window

# The code of the one problem that isn't a cause: a reference to a failed object.
DEPENDS = "depends-on-failed"
NOT_FOUND = "not-found"


class _Missing(Exception):
    """A reference without a row, with its problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Resolver:
    """The resolver of objects, using the window and the memory of their package."""

    def __init__(self, targets: Targets, memory: Memory, moment: Moment) -> None:
        self._targets = targets
        self._memory = memory
        self._moment = moment
        self._replaceable: dict[int, tuple[FieldSpec, ...]] = {}

    def known_keys(
        self, step: Step, item: dict[str, Any], window: Window
    ) -> Iterator[tuple[str, int]]:
        """Yield (target, key) of the existing rows that an object refers to."""
        for reference in references(item, step.fields):
            if reference.by == BY_ID:
                row_id = self._memory.row_id(self._memory.numbers[reference.key])
                if row_id is not None:
                    yield reference.to, row_id
            else:
                code = self._targets[reference.to].spec.code
                for row_id in window.holders(reference.to, code, reference.key):
                    yield reference.to, row_id

    def values(
        self, step: Step, item: dict[str, Any], window: Window
    ) -> dict[str, Any]:
        """Return the wire values of an object; raise ObjectError for missing rows.

        Properties that only repeat the step are left out: the target knows them.
        """
        problems: list[Problem] = []

        def find(reference: Reference) -> int | None:
            try:
                return self._find(reference, window)
            except _Missing as missing:
                problems.append(missing.problem)
                return None

        fields = self._replaceable.get(step.index)
        if fields is None:
            fields = self._replaceable[step.index] = replaceable(step.fields)
        values = replaced(item, fields, find, self._token)
        del values[ID]
        for field in step.fields:
            if field.only is not None:
                values.pop(field.name, None)
        if problems:
            raise ObjectError(problems)
        return values

    def _find(self, reference: Reference, window: Window) -> int:
        if reference.by == BY_ID:
            number = self._memory.numbers[reference.key]
            row_id = self._memory.row_id(number)
            if row_id is None:
                raise _Missing(self._failed(reference, number))
            return row_id
        code = self._targets[reference.to].spec.code
        found = window.holders(reference.to, code, reference.key)
        if len(found) == 1:
            return found[0]
        sentence = (
            _("more than one row of %(target)s has the code %(code)s")
            if found
            else _("no row of %(target)s has the code %(code)s")
        )
        names = {"target": reference.to, "code": short(reference.key)}
        code = "ambiguous" if found else NOT_FOUND
        path, key = reference.path, reference.key
        raise _Missing(Problem(path, sentence % names, code, key))

    def _failed(self, reference: Reference, number: int) -> Problem:
        """Return the problem of a reference to a failed object, which isn't a cause."""
        root = self._memory.root(number)
        sentence = (
            _("Referenced object '%(id)s' failed")
            if root == number
            else _("Referenced object '%(id)s' failed, because '%(root)s' failed")
        )
        names = {"id": reference.key, "root": self._memory.ids[root]}
        return Problem(reference.path, sentence % names, DEPENDS, reference.key)

    def _token(self, field: FieldSpec, token: str) -> str:
        if field.kind is FieldKind.DATE:
            return token_date(token, self._moment).isoformat()
        return token_datetime(token, self._moment).isoformat()
